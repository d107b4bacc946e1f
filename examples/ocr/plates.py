"""Draws nameplates, as they come past a camera: part number, date, serial number.

`python plates.py FOLDER [COUNT]` writes plate00.png, plate01.png, ... and truth.csv. The same
COUNT gives the same pictures: every plate has its number as its seed.
"""

import csv
import pathlib
import random
import sys

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageFont

WIDTH, HEIGHT = 640, 360
# Letters and digits that a person can tell apart, too.
LETTERS, DIGITS = "ABCDEFGHJKLMNPRTUVWXY", "0123456789"
MAKERS = ["NORDWERK", "HALDEN MOTOR", "PRAXIS DRIVES", "VANTA TOOLS", "KESTREL PUMP"]


def main(folder, count):
    folder.mkdir(parents=True, exist_ok=True)
    rows = []
    for number in range(count):
        lines, picture = plate(random.Random(number))
        name = f"plate{number:02}.png"
        picture.save(folder / name)
        rows.append([name, *lines])
    with open(folder / "truth.csv", "w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)
    print(f"{count} plates in {folder}")


def plate(chance):
    """The four lines of a plate, and its picture."""
    lines = words(chance)
    ground, ink = surface(chance)
    picture = Image.new("RGB", (WIDTH, HEIGHT), tuple(int(0.35 * part) for part in ground))
    draw = ImageDraw.Draw(picture)
    draw.rounded_rectangle((36, 30, WIDTH - 36, HEIGHT - 30), 18, fill=ground, outline=ink, width=3)
    for x in (58, WIDTH - 58):
        draw.ellipse((x - 8, HEIGHT / 2 - 8, x + 8, HEIGHT / 2 + 8), fill=ink)
    for line, size, y in zip(lines, (36, 32, 32, 32), (52, 122, 188, 254)):
        draw.text((92, y), line, font=ImageFont.load_default(size), fill=ink)
    picture = picture.rotate(chance.uniform(-4, 4), Image.BICUBIC, fillcolor=(40, 40, 44))
    picture = glare(picture, chance)
    picture = picture.filter(ImageFilter.GaussianBlur(chance.uniform(0.2, 1.0)))
    picture = noise(picture, chance)
    if chance.random() < 0.3:
        picture = picture.rotate(180)
    return lines, picture


def words(chance):
    def pick(letters, count):
        return "".join(chance.choice(letters) for _ in range(count))

    part = f"P/N {pick(LETTERS, 2)}{pick(DIGITS, 4)}-{pick(DIGITS, 2)}"
    date = f"DATE 20{chance.randrange(18, 27)}-{chance.randrange(1, 13):02}-{chance.randrange(1, 29):02}"
    return [chance.choice(MAKERS), part, date, f"S/N {pick(DIGITS, 8)}"]


def surface(chance):
    """Bright metal with dark letters, or the other way round."""
    bright = chance.randrange(170, 226)
    tint = [bright + chance.randrange(-12, 13) for _ in range(3)]
    dark = chance.randrange(10, 60)
    colours = tuple(tint), (dark, dark, dark + 8)
    return colours if chance.random() < 0.75 else colours[::-1]


def glare(picture, chance):
    """A lamp in the metal: a soft bright spot."""
    spot = Image.new("L", picture.size, 0)
    x, y, r = chance.randrange(WIDTH), chance.randrange(HEIGHT), chance.randrange(40, 130)
    strength = chance.randrange(30, 110)
    ImageDraw.Draw(spot).ellipse((x - r, y - r, x + r, y + r), fill=strength)
    spot = spot.filter(ImageFilter.GaussianBlur(r / 2))
    return Image.composite(Image.new("RGB", picture.size, (255, 255, 255)), picture, spot)


def noise(picture, chance):
    """What a sensor adds in poor light."""
    grain = np.random.default_rng(chance.randrange(1 << 32))
    pixels = np.asarray(picture, np.float32)
    pixels = pixels + grain.normal(0, chance.uniform(2, 12), pixels.shape)
    return Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8))


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 48)
