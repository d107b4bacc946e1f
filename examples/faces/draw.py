"""Draws the pictures of this example: parts under three cameras, each picture of a size of its own.

    python3 draw.py FOLDER
"""

import random
import sys
from pathlib import Path

KINDS = {
    "nut": [".######.", "########", "##....##", "##....##", "##....##", "##....##", "########", ".######."],
    "bolt": ["########", "########", "...##...", "...##...", "...##...", "...##...", "...##...", "...##..."],
    "plate": ["########", "########", "########", "########", "########", "########", "########", "########"],
    "cross": ["...##...", "...##...", "...##...", "########", "########", "...##...", "...##...", "...##..."],
}


def draw(rng, width, height, scale, count):
    """A picture with so many parts, none touching another, and what they are."""
    picture = [[rng.randrange(10, 60) for _ in range(width)] for _ in range(height)]
    step = 8 * scale + 4
    places = [(x, y) for y in range(2, height - step, step) for x in range(2, width - step, step)]
    kinds = []
    for x, y in sorted(rng.sample(places, count), key=lambda place: (place[1], place[0])):
        kind = rng.choice(sorted(KINDS))
        kinds.append(kind)
        for row in range(8 * scale):
            for column in range(8 * scale):
                if KINDS[kind][row // scale][column // scale] == "#":
                    picture[y + row][x + column] = rng.randrange(180, 256)
    return picture, kinds


def main(folder):
    rng = random.Random(5)
    truth = []
    cameras = {"cam1": (3, 150, 110), "cam2": (1, 60, 44), "cam3": (1, 52, 60)}
    for camera, (scale, width, height) in cameras.items():
        (folder / camera).mkdir(parents=True, exist_ok=True)
        for at in range(4):
            wide, high = width + rng.randrange(0, 30), height + rng.randrange(0, 30)
            picture, kinds = draw(rng, wide, high, scale, rng.randrange(2, 6))
            head = f"P5\n{wide} {high}\n255\n".encode()
            pixels = bytes(pixel for row in picture for pixel in row)
            (folder / camera / f"{at}.pgm").write_bytes(head + pixels)
            truth.append(f"{camera}/{at}.pgm,{' '.join(kinds)}\n")
    (folder / "truth.csv").write_text("file,parts\n" + "".join(truth))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
