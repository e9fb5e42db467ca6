#!/usr/bin/env python3
"""What each term of the general model gains: every one is left out in turn, the rest fitted
anew to the microbenchmarks of a record, and measured kernels are predicted.

usage: scripts/results/ablation.py GPUCAL RECORD.h5 TIMES.csv [TAG...]

RECORD.h5 is of a calibration, TIMES.csv of 'gpucal kernels -C tests/scope --run --csv'; without
tags, of the kernels of tests/scope of the set 'develop'.  One line for each term: the errors of
those kernels, relative, as geometric mean and median, and the shares within factors of 1.5 and 2.
"""
import csv
import math
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.realpath(f"{os.path.dirname(__file__)}/../..")

# What is left out, the named expressions that are something else then, and the parameters that
# they no longer have.
TERMS = [
    ("nothing", {}, []),
    ("registers", {"by_registers": "1e9"}, []),
    ("busiest compute unit", {"busy": "1/units"}, []),
    ("passes over the banks of the first-level cache", {"l1": ("f_cache_pass_global", "0")}, []),
    ("capacity of the first-level cache", {"l1_miss": "0"}, []),
    ("first-level cache at all", {"l1_miss": "1", "step_miss": "1"}, []),
    ("lines displaced between iterations", {"step_miss": "0"}, []),
    ("last-level cache", {"l2_miss": "1", "wave_miss": "1", "private_l2_miss": "1"},
     ["p_l2_bytes"]),
    ("waves of work-groups", {"wave_miss": "0"}, []),
    ("blocks of two sectors", {"apart": "1"}, []),
    ("sectors that stores leave incomplete", {"read_back": "0"}, []),
    ("contention of atomic operations", {"atomics": "p_atomic*f_atomic_sector_pass_global"},
     ["p_contended"]),
    ("latency of loads", {"latency": ("load_latency*rounds +", "")},
     ["p_serial", "p_latency_l1", "p_latency_l2", "p_latency_dram"]),
    ("registers of loads in flight", {"rounds": ("max(1, 0.8*f_loads_in_flight)^1.5", "1")}, []),
    ("operations in loops of loads", {"rounds": ("min(4, max(1, round_ops/10)^3)", "1")}, []),
    ("lines of stores", {"l2": ("p_l2_line*(f_line_global_store + f_line_image_store + private_partial)", "0")},
     ["p_l2_line"]),
    ("chains of operations", {"latency": ("p_latency_op*chain +", "")}, ["p_latency_op"]),
    ("a work-group's own issue and passes",
     {"latency": ("4*arithmetic*f_device_sub_group_size/f_work_items + l1/f_thread_groups +",
                  "")}, []),
    ("launch of work-groups", {"groups": ("p_group*f_thread_groups +", "")}, ["p_group"]),
]
# Forms of the soft maximum.
FORMS = [
    ("soft maximum: the sum", "roof_sum"),
    ("soft maximum: the largest", "roof_max"),
]


def with_term(config, name, value):
    """The configuration with another text of a named expression."""
    at = re.search(r"^  %s:(?: >-\n(?:    .*\n)+| .*\n)" % name, config, re.M)
    if not at:
        sys.exit("ablation.py: models.yaml has no expression '%s'" % name)
    text = at.group(0)
    if isinstance(value, tuple):
        flat = " ".join(text.split(">-", 1)[-1].split())
        if value[0] not in flat:
            sys.exit("ablation.py: '%s' is not in the expression '%s'" % (value[0], name))
        value = flat.replace(*value)
    return config.replace(text, "  %s: >-\n    %s\n" % (name, value))


def without(config, parameters):
    for name in parameters:
        config = re.sub(r"^      %s: .*\n" % name, "", config, count=1, flags=re.M)
    return config


def with_form(config, form):
    """The general model with another combination of its limits."""
    other = re.sub(r"pnorm\(p_norm,[^\n]*\n\s*0.05\*\(roof_sum - roof_max\)", form, config,
                   count=1)
    if other == config:
        sys.exit("ablation.py: the general model is no p-norm")
    return without(other, ["p_norm"])


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode not in (0, 4):
        sys.exit("ablation.py: %s\n%s" % (" ".join(command[:8]), done.stderr[-2000:]))
    return done


def errors(gpucal, config, record, times, tags):
    """Relative errors of predictions over measurements."""
    with tempfile.TemporaryDirectory() as folder:
        path, out = os.path.join(folder, "models.yaml"), os.path.join(folder, "out.csv")
        with open(path, "w") as file:
            file.write(config)
        os.mkdir(os.path.join(folder, "fit"))
        run(gpucal, "fit", "--record", record, "--config", path, "--output", folder + "/fit")
        files = os.listdir(folder + "/fit")
        if not files:
            return []
        run(gpucal, "evaluate", "--times", times, "-C", os.path.join(HERE, "tests/scope"),
            "--params", os.path.join(folder, "fit", files[0]), "--model", "general", "--csv",
            out, *tags)
        with open(out) as file:
            rows = [r for r in csv.DictReader(file) if r["level"] == "kernel"]
    return [float(r["predicted_s"]) / float(r["measured_s"]) for r in rows
            if r["predicted_s"] and r["measured_s"]]


def line(name, ratios):
    if not ratios:
        return "%-50s the fit is rejected" % name
    off = sorted(abs(r - 1) for r in ratios)
    far = [abs(math.log(r)) for r in ratios]
    mean = math.exp(sum(math.log(max(e, 1e-3)) for e in off) / len(off))
    return "%-50s %6.1f %% %6.1f %% %5.0f %% %4.0f %%" % (
        name, 100 * mean, 100 * off[len(off) // 2],
        100 * sum(f < math.log(1.5) for f in far) / len(far),
        100 * sum(f < math.log(2) for f in far) / len(far))


def develop():
    with open(os.path.join(HERE, "tests/scope/SETS")) as file:
        pairs = [words.split()[:2] for words in file if words.strip() and words[0] != "#"]
    return ["scope_" + name for name, kind in pairs if kind == "develop"]


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    gpucal, record, times = sys.argv[1:4]
    tags = sys.argv[4:] or develop()
    with open(os.path.join(HERE, "models.yaml")) as file:
        config = file.read()
    print("%-50s %8s %8s %7s %6s" % ("left out", "mean", "median", "1.5", "2"))
    for name, changes, parameters in TERMS:
        other = without(config, parameters)
        for key, value in changes.items():
            other = with_term(other, key, value)
        print(line(name, errors(gpucal, other, record, times, tags)), flush=True)
    for name, form in FORMS:
        print(line(name, errors(gpucal, with_form(config, form), record, times, tags)),
              flush=True)


if __name__ == "__main__":
    main()
