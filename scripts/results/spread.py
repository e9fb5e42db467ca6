#!/usr/bin/env python3
"""Prints the 'spread' of a model for models.yaml: how far kernels that it was not fitted to lie
from their predictions, by class.

    spread.py [-m MODEL] [-t TAIL] FILE.csv.. [PARAMETERS.yaml..]

FILE.csv: of 'gpucal evaluate --csv', one for each device, with kernels that the model was neither
fitted to nor made for.  A class is a roof, "small" or "estimated", see gpucal-models(5).  90 % of
its measured times are between predicted * exp(-below) and predicted * exp(above).  From
PARAMETERS.yaml, of these devices, it takes the errors of the microbenchmarks: a device with larger
ones gets wider intervals.

Classes have few kernels: each but "small" also has those of the other classes, with the weight of
PRIOR launches together.  Kernels of one application (the generator's name up to the first '_')
resemble each other: the comments say how often intervals hold for applications that their widths
do not follow from.

  -m MODEL   only this model's lines (default: all)
  -t TAIL    the share of launches on either side of the interval (default: 0.02)
"""
import argparse
import csv
import math
import re
import sys

# On either side of the interval: less than 5 %, as errors of few applications hold less for others.
# The check with applications left out shows how much, and tests/unseen: with 0.03, 84 and 81 % of its
# launches on an H100 and an H200 lay inside, with 0.02 88 and 86 %.
TAIL = 0.02
PRIOR = 10  # launches
LEAST = 0.03  # half-width: times of equal launches differ by that
FEWEST = 10  # applications


class Launch:
    def __init__(self, row):
        self.log_ratio = math.log(float(row["measured_s"]) / float(row["predicted_s"]))
        self.kernel = row["generator"]
        self.application = row["generator"].split("_")[0]
        self.kind = row["class"]


def read(files, model):
    launches = []
    for name in files:
        with open(name, newline="") as file:
            for row in csv.DictReader(file):
                if row["level"] != "kernel" or (model and row["model"] != model):
                    continue
                if row["predicted_s"] and row["measured_s"]:
                    launches.append(Launch(row))
    return launches


def applications(launches):
    return {l.application for l in launches}


def tail_bound(values, tail):
    """The bound above which a share 'tail' of (value, weight) is."""
    values = sorted(values)
    most = (1 - tail) * sum(weight for _, weight in values)
    below = 0
    for value, weight in values:
        below += weight
        if below >= most:
            break
    return max(LEAST, value)


def width(members, others, tail):
    weight = PRIOR / len(others) if others else 0
    return tuple(tail_bound([(sign * l.log_ratio, 1) for l in members] +
                            [(sign * l.log_ratio, weight) for l in others], tail)
                 for sign in (-1, 1))


def widths(launches, tail):
    """By class; "other" is for classes without launches."""
    long = [l for l in launches if l.kind != "small"]
    made = {}
    for kind in sorted({l.kind for l in launches} - {"other"}):
        made[kind] = width([l for l in launches if l.kind == kind],
                           [l for l in long if l.kind != kind and kind != "small"], tail)
    made["other"] = width(long or launches, [], tail)
    return made


def held_out(launches, tail):
    """Whether the interval holds, by launch, with widths of other applications."""
    inside = []
    for application in sorted(applications(launches)):
        made = widths([l for l in launches if l.application != application], tail)
        for l in launches:
            if l.application == application:
                below, above = made.get(l.kind, made["other"])
                inside.append((l, -below <= l.log_ratio <= above))
    return inside


def microbenchmarks(files, model):
    """The largest root mean square of their held-out errors."""
    errors = []
    for name in files:
        with open(name) as file:
            for document in file.read().split("\n---\n")[1:]:
                if not model or re.search(rf"^model: {re.escape(model)}$", document, re.M):
                    errors.append(float(re.search(r"^held_out_rms: (\S+)$", document, re.M)[1]))
    return max(errors, default=None)


def percent(flags):
    return f"{100 * sum(flags) / len(flags):.0f} %" if flags else "-"


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("-m", dest="model")
    parser.add_argument("-t", dest="tail", type=float, default=TAIL)
    parser.add_argument("files", nargs="+")
    arguments = parser.parse_args()
    parameters = [name for name in arguments.files if name.endswith(".yaml")]
    launches = read([name for name in arguments.files if name not in parameters],
                    arguments.model)
    if len(applications(launches)) < FEWEST:
        sys.exit(f"spread.py: {len(launches)} launches of {len(applications(launches))} "
                 f"applications are too few: at least {FEWEST} applications")
    checked = held_out(launches, arguments.tail)
    print(f"    # {len(launches)} launches of {len(applications(launches))} applications, of "
          f"applications left out {percent([ok for _, ok in checked])} inside")
    print("    spread:")
    for kind, (below, above) in widths(launches, arguments.tail).items():
        flags = [ok for l, ok in checked if l.kind == kind]
        members = [l for l in launches if l.kind == kind]
        print(f"      {kind}: [{below:.2f}, {above:.2f}]  # {len(members)} launches of "
              f"{len(applications(members))} applications, {percent(flags)}")
    error = microbenchmarks(parameters, arguments.model)
    if error:
        print(f"      microbenchmarks: {error:.3f}")


main()
