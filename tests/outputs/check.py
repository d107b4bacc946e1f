"""Metrics by the parser of Prometheus' own client, traces for Perfetto by what its reader asks for.

`python check.py FOLDER`: every *.prom and *.json in it.
"""

import collections
import json
import pathlib
import sys

from prometheus_client.parser import text_string_to_metric_families


def main(folder):
    pages = sorted(folder.glob("*.prom"))
    traces = sorted(folder.glob("*.json"))
    assert pages and traces, f"nothing to check in {folder}"
    samples = sum(check_metrics(path) for path in pages)
    slices = sum(check_trace(path) for path in traces)
    print(f"{len(pages)} pages of metrics with {samples} samples, read by Prometheus' client")
    print(f"{len(traces)} traces for Perfetto with {slices} slices, none overlaps on its track")


def check_metrics(path):
    families = list(text_string_to_metric_families(path.read_text("utf-8")))
    assert families, f"{path} is empty"
    seen = set()
    for family in families:
        assert family.documentation, f"{path}: {family.name} has no HELP"
        assert family.type in ("gauge", "counter", "summary"), f"{path}: {family.name} is {family.type}"
        for sample in family.samples:
            key = sample.name, tuple(sorted(sample.labels.items()))
            assert key not in seen, f"{path}: {key} is there twice"
            seen.add(key)
    return len(seen)


def check_trace(path):
    """Slices of one (pid, tid) must nest: ours must not even touch more than at their ends."""
    events = json.loads(path.read_text("utf-8"))["traceEvents"]
    tracks = collections.defaultdict(list)
    for event in events:
        if event["ph"] == "X":
            tracks[event["pid"], event["tid"]].append((event["ts"], event["ts"] + event["dur"]))
    for track, slices in tracks.items():
        slices.sort()
        for (begin, end), (next_begin, next_end) in zip(slices, slices[1:]):
            nests = next_begin >= end or next_end <= end
            assert nests, f"{path}, track {track}: {begin}..{end} and {next_begin}..{next_end}"
    return sum(map(len, tracks.values()))


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
