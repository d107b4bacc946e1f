"""Says how bright each picture is. Stands in for a model: loading it takes a moment."""

import json
import pathlib
import time

from lineside_worker import serve


def load():
    time.sleep(0.2)
    return 0.5  # what counts as bright


def work(model, start):
    for done, image in enumerate(start.images, 1):
        grey = pathlib.Path(image.file).read_text().split()
        if grey[0] != "P2":
            raise ValueError(f"{image.file} is no plain PGM")
        width, height, most = map(int, grey[1:4])
        mean = sum(map(int, grey[4:])) / (width * height * most)
        answer = {"file": pathlib.Path(image.file).name, "mean": mean, "bright": mean > model}
        out = pathlib.Path(start.out) / f"{image.index}.json"
        # Under its name only when it is whole.
        out.with_suffix(".part").write_text(json.dumps(answer))
        out.with_suffix(".part").rename(out)
        start.progress(done)


serve(load, work)
