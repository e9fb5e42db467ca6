"""export_fleets.py EXAMPLES - checks what export_fleets.sh wrote in this folder."""
import ast
import csv
import json
import pathlib
import re
import statistics
import sys

# ---- scores: of each class, the median device of a type has 1 ----

for name, classes in ("scores.csv", 2), ("costs.csv", 8):
    with open(name, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 3 * 2 * classes, (name, len(rows))
    assert len({(row["node"], row["uid"], row["class"]) for row in rows}) == len(rows), name
    for kind in {row["class"] for row in rows}:
        of_class = [row for row in rows if row["class"] == kind]
        scores = [float(row["score"]) for row in of_class]
        assert abs(statistics.median(scores) - 1) < 1e-3, (name, kind, scores)
        for row in of_class:
            expected = 1.3 if row["node"] == "slow" else 1
            assert abs(float(row["score"]) - expected) < 1e-3, row
assert {row["class"] for row in csv.DictReader(open("scores.csv", newline=""))} == \
    {"mm n=1048576", "mm n=4194304"}

# ---- throughputs: keys are written as tuples of Python, from which the simulator reads them ----

with open("gavel.json", encoding="utf-8") as file:
    types = json.load(file)
assert list(types) == ["nvidia-cuda-nvidia-h200-132cu"], types
jobs = {ast.literal_eval(key): value for key, value in types[list(types)[0]].items()}
assert set(jobs) == {("mm n=1048576", 1), ("mm n=4194304", 1)}, jobs
for (job, _), value in jobs.items():
    with open(job.split("=")[1] + ".json", encoding="utf-8") as file:
        said = json.load(file)
    time_s = [v for k, v in (said[0] if isinstance(said, list) else said).items()
              if k == "time_s"][0]
    # Four devices at 1, two at 1.3.
    expected = (4 + 2 / 1.3) / 6 / time_s
    assert set(value) == {"null"} and abs(value["null"] / expected - 1) < 1e-3, (value, expected)

# ---- labels: the rules of Kubernetes for names and values ----

NAME = r"[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?"
labels = {}
for path in pathlib.Path("labels").iterdir():
    of_node = labels.setdefault(path.name, {})
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            assert not line.startswith("# +"), "a directive: " + line
            continue
        key, value = line.split("=")
        domain, name = key.split("/")
        assert domain == "feature.node.kubernetes.io", line
        assert re.fullmatch(NAME, name) and re.fullmatch(NAME, value), line
        of_node[key] = value
PREFIX = "feature.node.kubernetes.io/gpucal-"
assert set(labels) == {"h100", "cpu"}, labels
assert labels["h100"][PREFIX + "speed-class"] == "fast", labels
assert labels["cpu"][PREFIX + "speed-class"] == "slow", labels
assert 2500 < int(labels["h100"][PREFIX + "memory-gbps"]) < 3400, labels
assert PREFIX + "fp32-gflops" not in labels["cpu"], labels
assert len(labels["cpu"][PREFIX + "type"]) <= 63

# ---- examples: labels that there are, classes that there are ----

for path in pathlib.Path(sys.argv[1]).glob("*.yaml"):
    used = re.findall(re.escape(PREFIX) + r"[a-z0-9-]+", path.read_text(encoding="utf-8"))
    assert used, path
    assert set(used) <= set(labels["h100"]), (path, used)
    for kind in re.findall(r"speed-class: (\S+)", path.read_text(encoding="utf-8")):
        assert kind in ("fast", "medium", "slow"), (path, kind)
