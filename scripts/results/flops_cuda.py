#!/usr/bin/env python3
"""flops_cuda.py GPUCAL FOLDER CSV [-n KERNELS]: floating-point operations as counted and as a profiler saw them.

CSV is cuda-profiling/profiling-data.csv of gpuFLOPBench (github.com/Scientific-Computing-Lab/gpuFLOPBench), FOLDER is
src of HeCBench, whose kernels it has. Each kernel is counted once, in the blocks and grid of its first line. Compared are
kernels without sizes, and those with one size in one dimension, which is taken to be the number of threads: so a
kernel that strides over the grid, or whose size is smaller, differs. A partial warp counts as a whole one.

The profiler counts instructions: a division, a square root or an exponential is several, so kernels with such
functions are apart.
"""
import argparse
import collections
import csv
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from survey_cuda import LIMIT_S, options_of, sources_of


def kernels_of(path, folder):
    """(program's folder, kernel, line), each kernel once."""
    seen = {}
    for line in csv.DictReader(open(path)):
        program = os.path.join(folder, line["targetName"])
        name = re.split(r"[<(]", re.sub(r"^void ", "", line["Kernel Name"].strip()))[0].split("::")[-1]
        if line["targetName"].endswith("-cuda") and os.path.isdir(program):
            seen.setdefault((program, name), line)
    return [(program, name, line) for (program, name), line in seen.items()]


def count(gpucal, file, options, more):
    try:
        done = subprocess.run([gpucal, "count", file, "--json", "--sub-group", "32"] + options + more, capture_output=True,
                              text=True, errors="replace", timeout=LIMIT_S, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return None, ""
    return (json.loads(done.stdout), "") if done.returncode == 0 else (None, done.stderr)


def operations(counts):
    """Of a type each, and whether there are functions that are several instructions."""
    sums, several = collections.Counter(), False
    for feature in counts["features"]:
        if feature["feature"].startswith("f_op_float"):
            n = feature.get("value", feature["expression"])
            n = float(n) * (32 if feature["granularity"] == "sub-group" else 1)
            weight = {"add": 1, "sub": 1, "mul": 1, "madd": 2}.get(feature["op"])
            several = several or weight is None
            sums[feature["dtype"]] += n * (weight or 0)
    return sums, several


def compare(gpucal, program, name, line):
    block, grid = ([int(n) for n in re.findall(r"\d+", line[key])] for key in ("Block Size", "Grid Size"))
    dims = max(d + 1 for d in range(3) if d == 0 or block[d] > 1 or grid[d] > 1)
    launch = ["--block", ",".join(map(str, block[:dims])), "--grid", ",".join(map(str, grid[:dims]))]
    for file in sources_of(program):
        counts, text = count(gpucal, file, options_of(program), launch + ["-k", name])
        instance = re.search(r"(?:\w+::)*" + re.escape(name) + r"<(?!\.\.\.)[^;]*?>(?=,|$|\n)", text)
        if not counts and instance:
            name = instance[0]
            counts, text = count(gpucal, file, options_of(program), launch + ["-k", name])
        if not counts:
            continue
        sizes = counts["parameters"]
        if sizes and (len(sizes) > 1 or dims > 1):
            return "sizes are not known"
        if sizes:
            at = ["--at", f"{sizes[0]}={block[0] * grid[0]}"]
            counts, text = count(gpucal, file, options_of(program), launch + ["-k", name] + at)
            if not counts:
                return "sizes are not known"
        sums, several = operations(counts)
        seconds = float(line["xtime"]) * 1e-9
        pairs = [(sums["float32"], float(line["spPerf"]) * seconds), (sums["float64"], float(line["dpPerf"]) * seconds)]
        error = max((abs(a / b - 1) if b >= 1 else float("inf")) if a or b >= 1 else 0 for a, b in pairs)
        result = "equal to 0.2 %" if error < 0.002 else "equal to 2 %" if error < 0.02 else "differs"
        return result + (", with functions" if several else "") + (", estimated" if counts["estimated"] else "")
    return "refused, or not found"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("gpucal")
    parser.add_argument("folder")
    parser.add_argument("csv")
    parser.add_argument("-n", "--kernels", type=int, help="only the first ones")
    given = parser.parse_args()
    kernels = kernels_of(given.csv, given.folder)[:given.kernels]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda k: compare(given.gpucal, *k), kernels))
    for result, n in collections.Counter(results).most_common():
        print(f"{n:6}  {result}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
