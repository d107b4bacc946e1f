"""The three tools: `python tool.py detect`, `direction` or `recognise`.

As it stands each is a worker: it loads its model once, then takes starts (docs/workers.md). With
`--once INDEX PICTURE LINES OUT` it works on one image and ends.
"""

import os
import pathlib
import sys

from lineside_worker import serve

# Each tool: its model, and the job whose lines it reads; the first reads the picture.
TOOLS = {
    "detect": ("Detect", None),
    "direction": ("Direction", "detect"),
    "recognise": ("Recognise", "direction"),
}


def main():
    name, *once = sys.argv[1:]
    model, upstream = TOOLS[name]
    if once:
        _, index, picture, lines, out = once
        work_on(load(model), index, picture if upstream is None else lines, out)
        return

    def work(model, start):
        for image in start.images:
            given = image.file if upstream is None else start.inputs[upstream]
            work_on(model, image.index, given, start.out)

    serve(lambda: load(model), work)


def load(model):
    # Imported here, since what the libraries print belongs into the log.
    import onnxruntime

    import models

    has_gpu = os.environ.get("CUDA_VISIBLE_DEVICES") and onnxruntime.get_device() == "GPU"
    return getattr(models, model)(cuda=bool(has_gpu))


def work_on(model, index, given, out):
    """One image: what it needs lies in `given`, what it makes goes to a folder of its number."""
    out = pathlib.Path(out) / str(index)
    out.mkdir(parents=True, exist_ok=True)
    for old in out.iterdir():
        old.unlink()
    given = pathlib.Path(given)
    model(given if given.is_file() else given / str(index), out)


if __name__ == "__main__":
    main()
