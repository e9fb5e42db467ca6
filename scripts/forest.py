#!/usr/bin/env python3
"""forest.py: a random forest on the counts of kernels, as a baseline of a model.

    scripts/forest.py FEATURES.csv [--trees N] [--seed N] [--csv FILE]

FEATURES.csv is written by 'gpucal evaluate --features'.  Each kernel is predicted by a forest
that has seen no kernel of its application: the forest is trained on the others, on the
logarithms of counts and times.  Printed are the errors of these predictions beside those of the
model of the file, on the same kernels.  Needs scikit-learn:

    python3 -m venv venv && venv/bin/pip install scikit-learn
    venv/bin/python scripts/forest.py FEATURES.csv
"""
import argparse
import csv
import math
import statistics
import sys

try:
    import numpy
    from sklearn.ensemble import RandomForestRegressor
except ImportError as missing:
    sys.exit(f"forest.py: {missing}: install scikit-learn (see the head of this file)")

FACTORS = (1.25, 1.5, 2)
SHORT_S = 50e-6  # as in 'gpucal evaluate'


def read(path):
    """Rows of the file's first model, and the names of its features."""
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    if not rows or "measured_s" not in rows[0]:
        sys.exit(f"forest.py: {path} has no kernels: it is written by 'gpucal evaluate --features'")
    rows = [row for row in rows if row["model"] == rows[0]["model"]]
    fixed = ("model", "application", "kernel", "measured_s", "predicted_s")
    features = [name for name in rows[0] if name not in fixed and rows[0][name] != ""]
    return rows, features


def matrix(rows, features):
    counts = numpy.array([[float(row[name]) for name in features] for row in rows])
    return numpy.log1p(counts)


def cross_validate(rows, features, trees, seed):
    """The time of each row, by a forest without its application."""
    inputs = matrix(rows, features)
    log_times = numpy.log([float(row["measured_s"]) for row in rows])
    applications = numpy.array([row["application"] for row in rows])
    predicted = numpy.empty(len(rows))
    for application in sorted(set(applications)):
        held_out = applications == application
        if held_out.all():
            sys.exit("forest.py: all kernels are of one application: none is left to train on")
        forest = RandomForestRegressor(n_estimators=trees, random_state=seed, n_jobs=1)
        forest.fit(inputs[~held_out], log_times[~held_out])
        predicted[held_out] = forest.predict(inputs[held_out])
    return [float(time_s) for time_s in numpy.exp(predicted)]


def geometric_mean(errors):
    return math.exp(statistics.fmean(math.log(max(error, 1e-16)) for error in errors))


def figures(predicted, measured):
    """Lines of (name, text), as 'gpucal evaluate' prints them."""
    errors = [abs(p / m - 1) for p, m in zip(predicted, measured)]
    logs = [abs(math.log(p / m)) for p, m in zip(predicted, measured)]
    short = [error for error, m in zip(errors, measured) if m < SHORT_S]

    def percent(value):
        return f"{100 * value:.1f} %"

    def of_short(mean):
        return percent(mean(short)) if short else "-"

    lines = [("kernels", str(len(errors))),
             ("error: geometric mean", percent(geometric_mean(errors))),
             ("  median", percent(statistics.median(errors))),
             ("  mean (MAPE)", percent(statistics.fmean(errors))),
             ("  typical factor", f"{math.exp(statistics.fmean(logs)):.2f}")]
    for factor in FACTORS:
        share = sum(log <= math.log(factor) for log in logs) / len(logs)
        lines.append((f"within a factor of {factor:g}", percent(share)))
    lines += [("below 50 us: kernels", str(len(short))),
              ("  geometric mean", of_short(geometric_mean)),
              ("  median", of_short(statistics.median))]
    return lines


def by_application(rows, predicted, measured):
    """(application, geometric mean error), in order of names."""
    for application in sorted({row["application"] for row in rows}):
        chosen = [i for i, row in enumerate(rows) if row["application"] == application]
        yield application, geometric_mean([abs(predicted[i] / measured[i] - 1) for i in chosen])


def print_table(rows, forest_s):
    measured = [float(row["measured_s"]) for row in rows]
    model_s = [float(row["predicted_s"]) for row in rows]
    print(f"{'':30}{rows[0]['model']:>12}{'forest':>12}")
    for (name, model), (_, forest) in zip(figures(model_s, measured), figures(forest_s, measured)):
        print(f"{name:30}{model:>12}{forest:>12}")
    print("geometric mean error of")
    for (application, model), (_, forest) in zip(by_application(rows, model_s, measured),
                                                 by_application(rows, forest_s, measured)):
        print(f"  {application:28}{100 * model:10.1f} %{100 * forest:10.1f} %")


def write(path, rows, forest_s):
    with open(path, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("application", "kernel", "measured_s", "predicted_s", "forest_s"))
        for row, time_s in zip(rows, forest_s):
            writer.writerow((row["application"], row["kernel"], row["measured_s"],
                             row["predicted_s"], f"{time_s:.9g}"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("features", metavar="FEATURES.csv")
    parser.add_argument("--trees", type=int, default=300, help="trees of a forest (default: 300)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the forests (default: 1)")
    parser.add_argument("--csv", metavar="FILE", help="write the predictions to this file")
    options = parser.parse_args()
    rows, features = read(options.features)
    forest_s = cross_validate(rows, features, options.trees, options.seed)
    print_table(rows, forest_s)
    if options.csv:
        write(options.csv, rows, forest_s)


if __name__ == "__main__":
    main()
