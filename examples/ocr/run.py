#!/usr/bin/env python3
"""Sets the example up and runs it three ways: `python3 run.py [NAME ...]`.

keep       workers whose models stay loaded (line.toml)
free       workers whose models leave after each lease (free.toml)
processes  a process for each image and tool (processes.toml)

Set LINESIDE to a `lineside` that is built already; without, cargo builds it.
"""

import csv
import json
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
PYTHON = HERE / ".venv" / "bin" / "python"
LINES = {"keep": "line.toml", "free": "free.toml", "processes": "processes.toml"}


def main():
    names = sys.argv[1:] or list(LINES)
    set_up()
    runs = HERE / "runs"
    rows = [row_of(name, run(LINES[name], runs / name), runs / name) for name in names]
    print(f"\n{'':10} {'plates/s':>9} {'cold starts':>12} {'mean wait':>10} {'characters right':>17}")
    for name, speed, cold, wait, right in rows:
        print(f"{name:10} {speed:9.2f} {cold:12} {wait:8.2f} s {right:16.2%}")
    if any(right < 0.95 for *_, right in rows):
        sys.exit("fewer than 95 % of the characters were right")


def set_up():
    if not PYTHON.exists():
        subprocess.run([sys.executable, "-m", "venv", HERE / ".venv"], check=True)
    wanted = HERE / "requirements.txt"
    installed = HERE / ".venv" / "requirements.txt"
    if not installed.exists() or installed.read_bytes() != wanted.read_bytes():
        pip = [PYTHON, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "-r", wanted], check=True)
        shutil.copy(wanted, installed)
    if not (HERE / "plates" / "truth.csv").exists():
        subprocess.run([PYTHON, HERE / "plates.py", HERE / "plates"], check=True)


def run(line, out):
    """Runs a line; its summary."""
    shutil.rmtree(out, ignore_errors=True)
    built = os.environ.get("LINESIDE")
    cargo = ["cargo", "run", "--quiet", "--release", "--package", "lineside", "--"]
    command = [*([built] if built else cargo), "run", HERE / line, "--out", out, "--json"]
    done = subprocess.run(command, cwd=HERE, stdout=subprocess.PIPE)
    if done.returncode != 0:
        sys.exit(f"{line}: exit code {done.returncode}")
    return json.loads(done.stdout)


def row_of(name, summary, out):
    seconds = summary["makespan_ns"] / 1e9
    plates = summary["jobs"][0]["images"]
    cold = sum(job["grants"] if name == "processes" else job["cold"] for job in summary["jobs"])
    return name, plates / seconds, cold, summary["wait_ns"]["mean"] / 1e9, right_part(out)


def right_part(out):
    """The share of characters that were read as they are written; blanks do not count."""
    wrong = total = 0
    with open(HERE / "plates" / "truth.csv", newline="", encoding="utf-8") as file:
        for index, (_, *lines) in enumerate(csv.reader(file)):
            text = out / "results" / "recognise" / str(index) / "text.txt"
            read = "".join(text.read_text("utf-8").split())
            truth = "".join("".join(lines).split())
            wrong += distance(read, truth)
            total += len(truth)
    return 1 - wrong / total


def distance(one, other):
    """How many letters have to be put in, left out or changed."""
    row = list(range(len(other) + 1))
    for at, letter in enumerate(one, 1):
        before, row[0] = row[0], at
        for to, wanted in enumerate(other, 1):
            change = before + (letter != wanted)
            before, row[to] = row[to], min(row[to] + 1, row[to - 1] + 1, change)
    return row[-1]


if __name__ == "__main__":
    main()
