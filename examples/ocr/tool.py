"""The three tools: `python tool.py detect`, `direction` or `recognise`.

As it stands each is a worker: it loads its model once, then takes starts, a line of JSON each
(docs/workers.md). With `--once INDEX PICTURE LINES OUT` it works on one image and ends.
"""

import json
import os
import pathlib
import sys
import traceback

# stdout is for lines of JSON; whatever a library prints there goes to the log.
answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
os.dup2(2, 1)

import onnxruntime

import models

# Each tool: its model, and the job whose lines it reads.
TOOLS = {
    "detect": (models.Detect, None),
    "direction": (models.Direction, "detect"),
    "recognise": (models.Recognise, "direction"),
}


def main():
    name, *once = sys.argv[1:]
    load, upstream = TOOLS[name]
    has_gpu = os.environ.get("CUDA_VISIBLE_DEVICES") and onnxruntime.get_device() == "GPU"
    model = load(cuda=bool(has_gpu))
    if once:
        _, index, picture, lines, out = once
        work(model, index, picture if upstream is None else lines, out)
    else:
        serve(model, upstream)


def serve(model, upstream):
    say({"type": "ready", "version": 1})
    for line in sys.stdin:
        told = json.loads(line)
        if told["type"] == "leave":
            break
        if told["type"] != "start":
            continue
        for image in told["images"]:
            try:
                given = image["file"] if upstream is None else told["in"][upstream]
                work(model, image["index"], given, told["out"])
            except Exception as error:
                traceback.print_exc()
                reason = f"{type(error).__name__}: {error}"
                say({"type": "fail", "start": told["start"], "image": image["index"], "reason": reason})
                break
        else:
            say({"type": "done", "start": told["start"]})


def say(answer):
    answers.write(json.dumps(answer) + "\n")
    answers.flush()


def work(model, index, given, out):
    """One image: what it needs lies in `given`, what it makes goes to a folder of its number."""
    out = pathlib.Path(out) / str(index)
    out.mkdir(parents=True, exist_ok=True)
    for old in out.iterdir():
        old.unlink()
    given = pathlib.Path(given)
    model(given if given.is_file() else given / str(index), out)


if __name__ == "__main__":
    main()
