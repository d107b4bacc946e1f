"""Makes one table of all answers."""

import json
import pathlib
import sys

answers, out = map(pathlib.Path, sys.argv[1:])
rows = [json.loads(path.read_text()) for path in sorted(answers.glob("*.json"))]
lines = [f"{row['file']},{row['mean']:.3f},{row['bright']}" for row in rows]
(out / "table.csv").write_text("\n".join(["file,mean,bright", *lines]) + "\n")
print(f"{sum(row['bright'] for row in rows)} of {len(rows)} are bright")
