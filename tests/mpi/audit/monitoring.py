"""monitoring.py EXAMPLES METRICS - what the dashboard and the alerts use is what
there is.  Writes the dashboard's expressions as rules into board.yml, for promtool.
"""
import collections
import json
import re
import sys

examples, default = sys.argv[1:]


def read(path):
    """Names and labels by device, and names that a metric is described by."""
    devices, described = collections.defaultdict(set), set()
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.startswith("# HELP "):
                described.add(line.split()[2])
            elif not line.startswith("#"):
                name, labels = line.split("{", 1)
                node, uuid = re.match(r'node="([^"]*)",uuid="([^"]*)"', labels).groups()
                devices[node, uuid].add(name)
    return devices, described


devices, described = read(default)
assert len(devices) == 6, devices
for device, names in devices.items():
    assert 5 <= len(names) <= 10, (device, names)
# Only printed where a track is damaged.
known = described | {"gpucal_node_not_audited"}

used = {}
with open(f"{examples}/grafana/gpucal.json", encoding="utf-8") as file:
    board = json.load(file)
expressions = [target["expr"] for panel in board["panels"] for target in panel["targets"]]
used["dashboard"] = set(re.findall(r"gpucal_\w+", " ".join(expressions) + json.dumps(
    board["templating"])))
with open(f"{examples}/prometheus/alerts.yml", encoding="utf-8") as file:
    used["alerts"] = set(re.findall(r"gpucal_\w+", " ".join(
        re.findall(r"expr: (.*)", file.read()))))
for where, names in used.items():
    assert names, where
    assert names <= known, (where, names - known)
# Nothing is measured that nobody looks at.
assert known <= used["dashboard"] | used["alerts"], known - used["dashboard"] - used["alerts"]

with open("board.yml", "w", encoding="utf-8") as file:
    json.dump({"groups": [{"name": "board", "rules": [
        {"record": f"board:{i}", "expr": e.replace("$node", ".*")}
        for i, e in enumerate(expressions)]}]}, file)
