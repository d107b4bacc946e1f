"""The detector: where the parts are, in a picture of any size, and a crop of 16 × 16 of each.

It is a worker, told its weights on the command line: the least brightness and area of a part.
"""

import json
import sys
from pathlib import Path

from lineside_worker import serve

SIDE = 16


def load():
    return json.loads(Path(sys.argv[1]).read_text())


def read(path):
    """A PGM: its rows."""
    head, size, _, pixels = Path(path).read_bytes().split(b"\n", 3)
    if head != b"P5":
        raise ValueError(f"{path} is no binary PGM")
    width, height = map(int, size.split())
    return [pixels[row * width : (row + 1) * width] for row in range(height)]


def boxes(picture, model):
    """A box around each bright region, from the top."""
    height, width = len(picture), len(picture[0])
    seen = [bytearray(width) for _ in range(height)]
    found = []
    for y in range(height):
        for x in range(width):
            if picture[y][x] < model["brightness"] or seen[y][x]:
                continue
            seen[y][x] = 1
            open_, area, left, top, right, bottom = [(x, y)], 0, x, y, x, y
            while open_:
                column, row = open_.pop()
                area += 1
                left, right = min(left, column), max(right, column)
                top, bottom = min(top, row), max(bottom, row)
                for c, r in ((column + 1, row), (column - 1, row), (column, row + 1), (column, row - 1)):
                    if 0 <= c < width and 0 <= r < height and not seen[r][c]:
                        if picture[r][c] >= model["brightness"]:
                            seen[r][c] = 1
                            open_.append((c, r))
            if area >= model["area"]:
                found.append((left, top, right + 1, bottom + 1))
    return sorted(found, key=lambda box: (box[1], box[0]))


def crop(picture, box):
    """What is in a box, at a fixed size."""
    left, top, right, bottom = box
    columns = [left + (right - left) * at // SIDE for at in range(SIDE)]
    rows = [top + (bottom - top) * at // SIDE for at in range(SIDE)]
    return [[picture[row][column] for column in columns] for row in rows]


def work(model, start):
    for image in start.images:
        picture = read(image.file)
        parts = [{"box": box, "crop": crop(picture, box)} for box in boxes(picture, model)]
        part = Path(start.out) / f"{image.index}.part"
        part.write_text(json.dumps(parts))
        part.rename(part.with_suffix(".json"))


serve(load, work)
