"""The stages of a training, small enough to run anywhere: a stand-in for your own commands.

    stage.py validate | augment | cache
    stage.py train | metrics | export NAME

It trains a small network to tell crosses from squares in noisy pictures, with nothing but the
standard library. Everything is kept in the folder `training` beside LINESIDE_OUT, else in
./training. `train` writes a checkpoint after each epoch and goes on from it when it is started
again. NAME begins with the size: n, s or m.
"""

import json
import math
import os
import random
import struct
import sys
from pathlib import Path

SIDE = 10
PIXELS = SIDE * SIDE
HIDDEN = {"n": 4, "s": 6, "m": 8}
EPOCHS = 4
WORK = Path(os.environ.get("LINESIDE_OUT") or "./here").parent / "training"


def write(name, value):
    """Writes JSON so that a crash leaves the old file or the new one, never half of it."""
    WORK.mkdir(parents=True, exist_ok=True)
    part = WORK / (name + ".part")
    part.write_text(json.dumps(value))
    part.replace(WORK / name)


def read(name):
    return json.loads((WORK / name).read_text())


def draw(rng, kind):
    """A picture of a square (0) or a cross (1), somewhere, with noise."""
    picture = [rng.random() * 0.4 for _ in range(PIXELS)]
    x, y, size = rng.randrange(0, SIDE - 5), rng.randrange(0, SIDE - 5), 5
    for at in range(size):
        if kind == 0:
            spots = [(x + at, y), (x + at, y + size - 1), (x, y + at), (x + size - 1, y + at)]
        else:
            spots = [(x + at, y + size // 2), (x + size // 2, y + at)]
        for column, row in spots:
            picture[row * SIDE + column] = 1.0
    return picture


def validate():
    """Makes the pictures where there are none, and looks whether they are sound."""
    rng = random.Random(7)
    pictures = [{"label": at % 2, "pixels": draw(rng, at % 2)} for at in range(300)]
    assert all(len(picture["pixels"]) == PIXELS for picture in pictures)
    write("pictures.json", pictures)
    print(f"{len(pictures)} pictures are sound")


def augment():
    """Mirrors each picture."""
    pictures = read("pictures.json")
    mirrored = []
    for picture in pictures:
        rows = [picture["pixels"][at : at + SIDE] for at in range(0, PIXELS, SIDE)]
        pixels = [pixel for row in rows for pixel in reversed(row)]
        mirrored.append({"label": picture["label"], "pixels": pixels})
    write("augmented.json", pictures + mirrored)
    print(f"{len(pictures)} pictures became {len(pictures) * 2}")


def cache():
    """Mixes the pictures and keeps a fifth of them for the test."""
    pictures = read("augmented.json")
    random.Random(11).shuffle(pictures)
    split = len(pictures) // 5
    write("cache.json", {"test": pictures[:split], "train": pictures[split:]})
    print(f"{len(pictures) - split} to train with, {split} to test with")


def forward(model, pixels):
    hidden = [
        math.tanh(bias + sum(map(lambda weight, pixel: weight * pixel, row, pixels)))
        for row, bias in zip(model["w1"], model["b1"])
    ]
    score = model["b2"] + sum(weight * value for weight, value in zip(model["w2"], hidden))
    return hidden, 1 / (1 + math.exp(-max(-30.0, min(30.0, score))))


def learn(model, picture, rate):
    """One step down the gradient; returns the loss before it."""
    pixels, label = picture["pixels"], picture["label"]
    hidden, guess = forward(model, pixels)
    error = guess - label
    for at, value in enumerate(hidden):
        back = error * model["w2"][at] * (1 - value * value)
        model["w2"][at] -= rate * error * value
        model["b1"][at] -= rate * back
        step = rate * back
        row = model["w1"][at]
        model["w1"][at] = [weight - step * pixel for weight, pixel in zip(row, pixels)]
    model["b2"] -= rate * error
    return -math.log(max(1e-9, guess if label else 1 - guess))


def train(name):
    data = read("cache.json")["train"]
    checkpoint = WORK / f"{name}.checkpoint.json"
    if checkpoint.exists():
        model = read(checkpoint.name)
        print(f"{name}: goes on after epoch {model['epoch']}")
    else:
        rng, size = random.Random(name), HIDDEN[name[0]]
        w1 = [[rng.gauss(0, 0.2) for _ in range(PIXELS)] for _ in range(size)]
        model = {"epoch": 0, "w1": w1, "b1": [0.0] * size, "b2": 0.0}
        model["w2"] = [rng.gauss(0, 0.5) for _ in range(size)]
    while model["epoch"] < EPOCHS:
        loss = sum(learn(model, picture, 0.05) for picture in data) / len(data)
        model["epoch"] += 1
        write(checkpoint.name, model)
        print(f"{name}: epoch {model['epoch']}, loss {loss:.3f}", flush=True)


def metrics(name):
    model, test = read(f"{name}.checkpoint.json"), read("cache.json")["test"]
    right = sum((forward(model, it["pixels"])[1] > 0.5) == bool(it["label"]) for it in test)
    write(f"{name}.metrics.json", {"accuracy": right / len(test)})
    print(f"{name}: {right} of {len(test)} right")


def export(name):
    model = read(f"{name}.checkpoint.json")
    numbers = [weight for row in model["w1"] for weight in row] + model["b1"] + model["w2"]
    numbers.append(model["b2"])
    (WORK / f"{name}.weights").write_bytes(struct.pack(f"<{len(numbers)}f", *numbers))
    print(f"{name}: {len(numbers)} weights")


STAGES = {"validate": validate, "augment": augment, "cache": cache}
STAGES_OF_A_MODEL = {"train": train, "metrics": metrics, "export": export}

if __name__ == "__main__":
    match sys.argv[1:]:
        case [stage] if stage in STAGES:
            STAGES[stage]()
        case [stage, name] if stage in STAGES_OF_A_MODEL and name[:1] in HIDDEN:
            STAGES_OF_A_MODEL[stage](name)
        case _:
            sys.exit(__doc__)
