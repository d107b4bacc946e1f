"""Makes one table of what was found, and holds it against the truth."""

import csv
import json
import sys
from pathlib import Path

results, truth, out = Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3])
found = {}
for path in results.glob("*-sort/*.json"):
    answer = json.loads(path.read_text())
    found[answer["file"]] = [part["kind"] for part in answer["parts"]]
with truth.open() as file:
    expected = {row["file"]: row["parts"].split() for row in csv.DictReader(file)}
rows = [f"{file},{' '.join(kinds)}\n" for file, kinds in sorted(found.items())]
(out / "parts.csv").write_text("file,parts\n" + "".join(rows))
right = sum(
    mine == theirs
    for file, kinds in expected.items()
    for mine, theirs in zip(found.get(file, []), kinds)
)
parts = sum(map(len, expected.values()))
summary = f"{right} of {parts} parts in {len(found)} of {len(expected)} pictures are right"
(out / "summary.txt").write_text(summary + "\n")
print(summary)
