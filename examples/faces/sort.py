"""The classifier: which kind each crop is, by the template that it is most like."""

import json
import sys
from pathlib import Path

from lineside_worker import serve


def load():
    return json.loads(Path(sys.argv[1]).read_text())


def kind(crop, templates):
    """The kind whose template differs least."""

    def difference(template):
        scale, total = len(crop) // len(template), 0
        for y, row in enumerate(crop):
            for x, pixel in enumerate(row):
                total += (pixel > 120) != (template[y // scale][x // scale] == "#")
        return total

    return min(templates, key=lambda name: (difference(templates[name]), name))


def work(templates, start):
    (found,) = start.inputs.values()
    for image in start.images:
        parts = json.loads((Path(found) / f"{image.index}.json").read_text())
        kinds = [{"box": part["box"], "kind": kind(part["crop"], templates)} for part in parts]
        answer = {"file": "/".join(Path(image.file).parts[-2:]), "parts": kinds}
        part = Path(start.out) / f"{image.index}.part"
        part.write_text(json.dumps(answer))
        part.rename(part.with_suffix(".json"))


serve(load, work)
