#!/usr/bin/env python3
"""Prints the 'spread' of a model for models.yaml: how far kernels that it was not fitted to lie
from their predictions, by class.

    spread.py [-m MODEL] [-a N] FILE.csv..

FILE.csv: of 'gpucal evaluate --csv', one for each device, with kernels that the model was neither
fitted to nor made for.  A class is a roof, "small" or "estimated", see gpucal-models(5).  90 % of
its measured times are between predicted * exp(-below) and predicted * exp(above).  Kernels of one
application resemble each other (the generator's name up to the first '_'): classes with fewer than
N applications (default: 5) are merged into "other", and the comments say how many times the
intervals hold for applications that their widths do not follow from.

  -m MODEL   only this model's lines (default: all)
  -a N       the fewest applications of a class
"""
import argparse
import csv
import math
import sys

TAIL = 0.05  # on either side of the interval
LEAST = 0.03  # half-width: times of equal launches differ by that


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


def tail_bound(values, kernels):
    """The bound above which TAIL of further values are: a quantile for 'kernels' independent
    ones."""
    values = sorted(values)
    level = min(1, (1 - TAIL) * (1 + 1 / kernels))
    at = level * (len(values) - 1)
    low = math.floor(at)
    high = min(low + 1, len(values) - 1)
    return max(LEAST, values[low] + (at - low) * (values[high] - values[low]))


def width(launches):
    kernels = len({l.kernel for l in launches})
    return (tail_bound([-l.log_ratio for l in launches], kernels),
            tail_bound([l.log_ratio for l in launches], kernels))


def applications(launches):
    return {l.application for l in launches}


def widths(launches, fewest):
    """By class; "other" has what is left, and all kernels that are not small if that is too
    little."""
    made, left = {}, []
    for kind in sorted({l.kind for l in launches}):
        members = [l for l in launches if l.kind == kind]
        if len(applications(members)) >= fewest:
            made[kind] = width(members)
        else:
            left += members
    if len(applications(left)) < fewest:
        left = [l for l in launches if l.kind != "small"] or launches
    made["other"] = width(left)
    return made


def holds(launch, made):
    below, above = made.get(launch.kind, made["other"])
    return -below <= launch.log_ratio <= above


def held_out(launches, fewest):
    """Whether the interval holds, by launch, with widths of other applications."""
    inside = []
    for application in sorted(applications(launches)):
        made = widths([l for l in launches if l.application != application], fewest)
        inside += [(l, holds(l, made)) for l in launches if l.application == application]
    return inside


def percent(flags):
    return f"{100 * sum(flags) / len(flags):.0f} %" if flags else "-"


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("-m", dest="model")
    parser.add_argument("-a", dest="fewest", type=int, default=5)
    parser.add_argument("files", nargs="+")
    arguments = parser.parse_args()
    launches = read(arguments.files, arguments.model)
    if len(applications(launches)) < 2 * arguments.fewest:
        sys.exit(f"spread.py: {len(launches)} launches of {len(applications(launches))} "
                 f"applications are too few: at least {2 * arguments.fewest} applications")
    made = widths(launches, arguments.fewest)
    checked = held_out(launches, arguments.fewest)
    print(f"# {len(launches)} launches of {len(applications(launches))} applications; held-out "
          f"applications inside: {percent([ok for _, ok in checked])}")
    print("spread:")
    for kind, (below, above) in made.items():
        members = [l for l in launches if made.get(l.kind, made["other"]) == made[kind]]
        flags = [ok for l, ok in checked if l in members]
        print(f"  {kind}: [{below:.2f}, {above:.2f}]  # {len(members)} launches of "
              f"{len(applications(members))} applications, held out {percent(flags)}")


main()
