"""Compiles CUDA C to PTX by NVRTC, which needs no GPU: nvrtc.py SOURCE PTX"""

import ctypes
import pathlib
import sys

source, target = map(pathlib.Path, sys.argv[1:3])
library = next(pathlib.Path(sys.prefix).rglob("libnvrtc.so.12"))
nvrtc = ctypes.CDLL(str(library))
program = ctypes.c_void_p()
name = source.name.encode()
code = nvrtc.nvrtcCreateProgram(
    ctypes.byref(program), source.read_bytes(), name, 0, None, None
)
assert code == 0, code
options = (ctypes.c_char_p * 2)(b"--gpu-architecture=compute_75", b"--std=c++14")
compiled = nvrtc.nvrtcCompileProgram(program, len(options), options)


def text(size_of, get):
    size = ctypes.c_size_t()
    size_of(program, ctypes.byref(size))
    buffer = ctypes.create_string_buffer(size.value)
    get(program, buffer)
    return buffer.value


print(text(nvrtc.nvrtcGetProgramLogSize, nvrtc.nvrtcGetProgramLog).decode(), file=sys.stderr)
if compiled != 0:
    sys.exit(f"{source} does not compile")
target.write_bytes(text(nvrtc.nvrtcGetPTXSize, nvrtc.nvrtcGetPTX))
