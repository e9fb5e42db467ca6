#!/usr/bin/env python3
"""bench-predict.py: times gpucal predict from the sources of a folder of catalogue entries
(tests/scope), each at its first sizes, as processes from start to end: cold, with an empty
cache of counts, and again.

  scripts/results/bench-predict.py [GPUCAL [RUNS [FOLDER]]]

Of each kernel the fastest of RUNS (3); printed are median, 90 % and worst of all kernels, in ms
from start to end and of processors (user and system, of gpucal itself: the front end is no child), and the same for a
process that does nothing (--version).
"""
import glob
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time

import yaml

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))


def command(gpucal, path):
    """The command line of the first sizes of a catalogue entry."""
    with open(path, encoding="utf-8") as file:
        entry = yaml.safe_load(file)
    sizes = [f"{name}={values['size'][0] if isinstance(values['size'], list) else values['size']}"
             for name, values in entry["arguments"].items() if "size" in values]
    line = [gpucal, "predict", os.path.join(os.path.dirname(path), entry["source"]),
            "-k", entry["kernel"], "-l", ",".join(map(str, entry["local_size"])),
            "-g", ",".join(map(str, entry["global_size"])), "--at", ",".join(sizes),
            "--params", os.path.join(ROOT, "tests/data/general/h100.yaml"), "--json"]
    return line + (["--assume", entry["assume"]] if "assume" in entry else [])


def run(line):
    """Seconds from start to end, and of processors."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run(line, capture_output=True, check=False)
    wall = time.monotonic() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    busy = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return done.returncode, wall, busy


def say(what, times):
    """Median, 90 % and worst of (wall, busy) by kernel."""
    for name, column in (("from start to end", 0), ("of processors", 1)):
        all_ms = sorted(1e3 * t[column] for t in times)
        print(f"{what}, {len(all_ms)} kernels, ms {name}: median {all_ms[len(all_ms) // 2]:.1f}, "
              f"90 % {all_ms[len(all_ms) * 9 // 10]:.1f}, worst {all_ms[-1]:.1f}")


def main():
    """Times all kernels."""
    gpucal = sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, "build/mpi/gpucal")
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    folder = sys.argv[3] if len(sys.argv) > 3 else os.path.join(ROOT, "tests/scope")
    cache = tempfile.mkdtemp(prefix="gpucal-bench.")
    os.environ["XDG_CACHE_HOME"] = cache
    cold, warm, failed = [], [], 0
    try:
        for path in sorted(glob.glob(os.path.join(folder, "*.yaml"))):
            line, times = command(gpucal, path), {"cold": [], "warm": []}
            for kind in ["cold", "warm"] * runs:
                if kind == "cold":
                    shutil.rmtree(cache)
                    os.mkdir(cache)
                times[kind].append(run(line))
            if any(t[0] for t in times["cold"]):
                failed += 1
                print(os.path.basename(path), "is not predicted", file=sys.stderr)
                continue
            cold.append([min(t[i] for t in times["cold"]) for i in (1, 2)])
            warm.append([min(t[i] for t in times["warm"]) for i in (1, 2)])
        say("cold", cold)
        say("again", warm)
        say("--version", [min(run([gpucal, "--version"])[1:] for _ in range(5 * runs))])
    finally:
        shutil.rmtree(cache)


if __name__ == "__main__":
    main()
