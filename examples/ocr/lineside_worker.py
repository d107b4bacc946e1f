"""Speaks with Lineside. Copy this file beside your tool; it needs the standard library only.

    from lineside_worker import serve

    def load():
        return MyModel("weights.bin")            # once, when the worker starts

    def work(model, start):
        for image in start.images:               # .index, .file
            model.read(image.file).save(f"{start.out}/{image.index}.json")

    serve(load, work)

What `work` raises makes the start fail; the worker goes on. What it prints goes to the log.
"""

import json
import os
import queue
import sys
import threading
import traceback

VERSION = 1


class Image:
    def __init__(self, said):
        self.index = said["index"]
        self.file = said.get("file")


class Start:
    """What there is to do: images, and where things are."""

    def __init__(self, said, say):
        self.number = said["start"]
        self.job = said["job"]
        self.lease = said["lease"]
        self.attempt = said["attempt"]
        self.images = [Image(image) for image in said["images"]]
        self.out = said["out"]
        self.inputs = said["in"]
        self.stopped = False  # the units are asked back: return soon
        self._say = say

    def progress(self, done):
        """So many images are done."""
        self._say(type="progress", start=self.number, done=done)


def serve(load, work):
    """Loads once, then works on whatever comes, until it is told to leave."""
    talk = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what anyone prints goes to the log, not into the talk
    lock = threading.Lock()

    def say(**line):
        with lock:
            talk.write(json.dumps(line) + "\n")
            talk.flush()

    model = load()
    say(type="ready", version=VERSION)
    starts = queue.Queue()
    threading.Thread(target=_listen, args=(starts, say), daemon=True).start()
    while (start := starts.get()) is not None:
        try:
            work(model, start)
            say(type="done", start=start.number)
        except Exception as error:
            traceback.print_exc()
            say(type="fail", start=start.number, reason=f"{type(error).__name__}: {error}")


def _listen(starts, say):
    current = None
    for line in sys.stdin:
        said = json.loads(line)
        if said["type"] == "start":
            current = Start(said, say)
            starts.put(current)
        elif said["type"] == "stop" and current and current.number == said["start"]:
            current.stopped = True
        elif said["type"] == "leave":
            break
    starts.put(None)  # told to leave, or the runner is gone
