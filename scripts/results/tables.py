#!/usr/bin/env python3
"""tables.py: the tables of docs/results.md and README.md, from recorded times in tests/data.

    scripts/results/tables.py GPUCAL [--write] [NAME]...

Predicts, without a device, what was measured, with the parameter files beside the times, and compares
the tables between "<!-- table NAME -->" and "<!-- end -->" with the figures, and with them the outputs
that README.md and docs/tutorial.md show of commands with '--params tests/data/..'.  The exit status is 1
if they differ.  --write puts the figures there, and draws docs/plots/general-*.svg if gnuplot is
installed.  Times of new calibrations go into tests/data/general; then this is the one command to run.
"""
import argparse
import csv
import difflib
import json
import math
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from random import Random
from statistics import median

ROOT = os.path.realpath(f"{os.path.dirname(__file__)}/../..")
DATA = f"{ROOT}/tests/data"
GENERAL = f"{DATA}/general"
DOCUMENTS = "docs/results.md", "README.md"
SHOWN = "README.md", "docs/tutorial.md"
GPUS = ("h100", "H100"), ("h200", "H200")
BANDS = (("", "all"), ("below_50_us", "below 50 us"), ("50_us_to_1_ms", "50 us to 1 ms"),
         ("above_1_ms", "above 1 ms"))


# ---- predictions ----

class Gpucal:
    """Runs gpucal without devices; counts are kept in gpucal's own cache."""

    def __init__(self, program, folder):
        self.program, self.folder, self.evaluations = os.path.realpath(program), folder, {}
        self.env = dict(os.environ, OCL_ICD_VENDORS="/nonexistent")

    def run(self, *arguments, cwd=None):
        done = subprocess.run([self.program, *arguments], capture_output=True, text=True,
                              env=self.env, cwd=cwd)
        if done.returncode:
            sys.exit(f"tables.py: gpucal {' '.join(arguments)}\n{done.stderr}")
        return done.stdout

    def evaluate(self, *arguments):
        """The file of --csv, as dicts."""
        if arguments not in self.evaluations:
            path = f"{self.folder}/evaluation.csv"
            self.run("evaluate", *arguments, "--csv", path)
            with open(path, newline="") as file:
                self.evaluations[arguments] = list(csv.DictReader(file))
        return self.evaluations[arguments]

    def general(self, gpu, *arguments, baselines=True):
        """Kernels predicted by the general model of a GPU, and by baselines beside it."""
        beside = [f"--baseline={GENERAL}/{gpu}-baselines.yaml"] if baselines else []
        return self.evaluate("--params", f"{GENERAL}/{gpu}.yaml", "--model", "general", *beside,
                             *arguments)

    def scope(self, gpu, wanted):
        with open(f"{ROOT}/tests/scope/SETS") as file:
            sets = [line.split()[:2] for line in file if not line.startswith("#")]
        tags = [f"scope_{name}" for name, of in sets if of == wanted]
        return self.general(gpu, "--times", f"{GENERAL}/scope-{gpu}.csv", "-C",
                            f"{ROOT}/tests/scope", *tags)

    def folder_of_tests(self, gpu, name, *more, baselines=True):
        """Kernels of tests/NAME; none without times of that GPU."""
        times = f"{GENERAL}/{name}-{gpu}.csv"
        return self.general(gpu, "--times", times, "-C", f"{ROOT}/tests/{name}", *more, name,
                            baselines=baselines) if os.path.exists(times) else []

    def wild(self, gpu):
        """tests/wild has kernels with names of the built-in catalogue, which are left out."""
        folder = f"{self.folder}/wild"
        if not os.path.isdir(folder):
            shutil.copytree(f"{ROOT}/tests/wild", folder)
            built_in = set(self.names(f"{ROOT}/kernels/catalogue"))
            for name, path in self.names(folder).items():
                if name in built_in:
                    os.remove(path)
        return self.general(gpu, "--times", f"{GENERAL}/wild-{gpu}.csv", "-C", folder,
                            baselines=False)

    @staticmethod
    def names(folder):
        """Files of kernels by the kernel's name."""
        found = {}
        for entry in os.scandir(folder):
            if entry.name.endswith(".yaml"):
                with open(entry.path) as file:
                    name = re.search(r"^name: *(\S+)", file.read(), re.M)
                if name:
                    found[name[1]] = entry.path
        return found

    def papers(self, gpu, seen=0):
        """The papers' kernels, by the general model or as so many times of each kernel correct it."""
        return self.general(gpu, "--times", f"{GENERAL}/papers-{gpu}.csv",
                            *(["--seen", str(seen)] if seen else []), baselines=False)


def line(rows, level, model="", band="", **wanted):
    """The one line of a level, with columns of these values; None without one."""
    wanted.update(level=level, model=model, band=band)
    found = [row for row in rows if all(row[name] == value for name, value in wanted.items())]
    return found[0] if found else None


def by_band(rows, model):
    """(name of the band, its line) of those that have kernels."""
    for band, name in BANDS:
        found = line(rows, "band" if band else "model" if model else "all", model, band)
        if found:
            yield name, found


# ---- texts ----

def percent(text, digits=1):
    return f"{float(text):.{digits}f} %"


def share(row, part):
    return f"{100 * int(row[part]) / int(row['kernels']):.0f} %"


def number(text):
    """Three digits: 1.25, 12.3, 439."""
    value = float(text)
    return f"{value:.{max(0, 2 - math.floor(math.log10(value)))}f}"


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


ERRORS = ("geometric mean", "median", "by time", "typical factor", "90 % within", "within 1.5",
          "within 2", "inside", "interval")


def errors(row):
    """Cells of ERRORS."""
    return [percent(row["error_percent"]), percent(row["median_percent"]),
            percent(row["time_percent"], 0), number(row["factor"]), number(row["factor_90"]),
            share(row, "within_1_5"), share(row, "within_2"), share(row, "inside"),
            number(row["width"])]


# ---- the tables ----

def calibrations(gpucal):
    rows = []
    for name in "h100", "h200", "cpu", "cpu16":
        with open(f"{GENERAL}/{name}.yaml") as file:
            text = file.read()
        fact = dict(re.findall(r"^  (name|driver|run_id|calibrated_utc): (.*)$", text, re.M))
        kernels = set()
        for model in re.split(r"^---$", text, flags=re.M)[1:]:
            if re.search(r"^model: general$", model, re.M):
                kernels = re.search(r"^kernels: (\d+)", model, re.M)
        rows.append([re.sub("^[a-z]+-skylake-avx512-", "PoCL, ", fact["name"]), fact["driver"],
                     fact["calibrated_utc"].replace("T", " ").replace("Z", " UTC"),
                     kernels[1] if kernels else "-", fact["run_id"]])
    return table(("device", "driver", "calibrated", "kernels of `general`", "run"), rows)


def accuracy(gpucal):
    rows = []
    for gpu, name in GPUS:
        sets = {of: gpucal.scope(gpu, of) for of in ("develop", "frozen")}
        sets |= {of: gpucal.folder_of_tests(gpu, of) for of in ("varied", "lasting", "unseen")}
        for of, lines in sets.items():
            for band, row in by_band(lines, "general"):
                rows.append([f"{name}, {of}" if band == "all" else "", band, row["kernels"],
                             *errors(row)])
    return table(("GPU, set", "measured time", "launches", *ERRORS), rows)


def beside(cells):
    """"1 / 2" of the cells of the H100 and of the H200."""
    return [" / ".join(pair) for pair in zip(*cells)]


def headline(gpucal):
    """README's: what a user can expect, of long kernels too."""
    rows = [[band, row["kernels"], percent(row["median_percent"], 0), percent(row["time_percent"], 0),
             share(row, "within_1_5"), share(row, "inside"), number(row["width"])]
            for band, row in by_band(gpucal.folder_of_tests("h100", "unseen"), "general")]
    return table(("measured time", "launches", "median error", "error by time",
                  "within a factor of 1.5", "90 % interval holds", "its high / low, median"), rows)


def baselines(gpucal):
    rows = []
    models = (("general", "general"), ("linear", "linear: a sum of the same costs"),
              ("overlap", "overlap of memory and on-chip work"),
              ("roofline", "roofline of distinct bytes and operations"))
    for gpu, name in GPUS:
        for model, text in models:
            bands = dict(by_band(gpucal.scope(gpu, "frozen"), model))
            long, all_of_it = bands["above 1 ms"], bands["all"]
            rows.append([f"{name}, {text}", *(cell for row in (all_of_it, long) for cell in (
                percent(row["error_percent"]), percent(row["median_percent"]),
                percent(row["time_percent"], 0), share(row, "within_2")))])
    return table(("frozen", "geometric mean", "median", "by time", "within 2",
                  "above 1 ms: geometric mean", "median", "by time", "within 2"), rows)


def wild(gpucal):
    return table(("GPU", "measured time", "launches", *ERRORS), [
        [name if band == "all" else "", band, row["kernels"], *errors(row)]
        for gpu, name in GPUS for band, row in by_band(gpucal.wild(gpu), "general")])


# Set and times, parameters, what was timed.
CPUS = (("scope", "scope-cpu", "cpu", "2 cores, PoCL 3.1, develop"),
        ("scope", "scope-cpu16", "cpu16", "16 cores, PoCL 5.0, develop"),
        ("varied", "varied-cpu16", "cpu16", "16 cores, PoCL 5.0, varied"))


def cpu(gpucal):
    rows = []
    for catalogue, times, parameters, name in CPUS:
        evaluation = gpucal.evaluate("--times", f"{GENERAL}/{times}.csv", "-C", f"{ROOT}/tests/{catalogue}",
                                     "--params", f"{GENERAL}/{parameters}.yaml", "--model", "general")
        rows += [[name if band == "all" else "", band, row["kernels"], *errors(row)]
                 for band, row in by_band(evaluation, "general")]
    return table(("CPU, set", "measured time", "launches", *ERRORS), rows)


# First word of the generators, name with sizes.
PAPERS = (("matmul", "matrix product, n 160 to 7680"), ("dg", "DG, 1600 to 3145728 elements"),
          ("stencil", "stencil, n 784 to 16128"), ("min", "min-plus, n 150 to 5120"))
LEARNED = ("general", 0), ("learned from one time", 1), ("learned from three", 3)


def orders(rows, **wanted):
    """Fastest found and pairs in order, of sets with columns of these values."""
    sets = [row for row in rows if row["level"] == "set" and
            all(row[name] == value for name, value in wanted.items())]
    return {name: sum(int(row[name]) for row in sets)
            for name in ("sets", "found", "ties", "pairs", "ordered")}


def order_cells(order):
    ties = f", {order['ties']} tie" + "s"*(order["ties"] > 1) if order["ties"] else ""
    return [f"{order['found']} of {order['sets']}{ties}", f"{order['ordered']} of {order['pairs']}"]


def papers(gpucal):
    """The papers' kernels by the general model, and as times of them correct it."""
    rows = []
    for gpu, name in GPUS:
        for application, text in PAPERS:
            for label, seen in LEARNED:
                lines = gpucal.papers(gpu, seen)
                found = line(lines, "application", "general", application=application)
                rows.append(["" if seen else f"{name}, {text}", label,
                             found["kernels"], percent(found["error_percent"]),
                             percent(found["median_percent"]), percent(found["time_percent"], 0),
                             share(found, "inside"), number(found["width"]),
                             *order_cells(orders(lines, application=application))])
    return table(("GPU, kernels", "model", "launches", "geometric mean", "median", "by time",
                  "inside", "interval", "fastest found", "pairs in order"), rows)


def papers_by_time(gpucal):
    rows = []
    for gpu, name in GPUS:
        for label, seen in LEARNED:
            for band, row in by_band(gpucal.papers(gpu, seen), "general"):
                rows.append([f"{name}, {label}" if band == "all" else "", band, row["kernels"],
                             *errors(row)])
    return table(("GPU, models", "measured time", "launches", *ERRORS), rows)


# First word of the generators, model of docs/examples/stevens-kloeckner, name, and what the authors had
# on five GPUs.
SECTION_8 = (("matmul", "sk_matmul", "matrix product", "4.3 %"), ("dg", "sk_dg", "DG", "7.5 %"),
             ("stencil", "sk_stencil", "stencil", "6.7 %"))


def section_8_cells(row, order):
    return [row["kernels"], percent(row["error_percent"]), f"{float(row['worst_percent']):.0f} %",
            *order_cells(order)]


def section_8(gpucal):
    """Accuracy against scope: models told by one application to those of any kernel."""
    rows = []
    for gpu, name in GPUS:
        own = section_8_rows(gpucal, gpu)
        rows += [[name if i == 0 else "", *row] for i, row in enumerate(own)]
    return table(("GPU", "application", "model", "launches above 1 ms", "geometric mean", "worst",
                  "fastest found", "pairs in order", "all launches", "geometric mean", "worst",
                  "fastest found", "pairs in order"), rows)


def section_8_rows(gpucal, gpu):
    data = f"{DATA}/stevens-kloeckner"
    fits = f"{gpucal.folder}/section-8-{gpu}"
    os.makedirs(fits, exist_ok=True)
    gpucal.run("fit", "--record", f"{data}/{gpu}.h5", "--config",
               f"{ROOT}/docs/examples/stevens-kloeckner/models.yaml", "--output", fits)
    with open(f"{data}/{gpu}.csv", newline="") as file:
        reader = csv.DictReader(file)
        head, times = reader.fieldnames, list(reader)
    rows = []
    for word, own_model, text, theirs in SECTION_8:
        chosen = [[row for row in times if row["generator"].startswith(f"{word}_") and
                   float(row["time_s"]) >= shortest] for shortest in (0.001, 0)]
        models = ((own_model, f"theirs: each access pattern ({theirs})",
                   ["--params", *(entry.path for entry in os.scandir(fits))]),
                  ("general", "general", None), ("overlap", "overlap of general costs", None),
                  ("linear", "sum of general costs", None), ("roofline", "roofline", None))
        for model, label, params in models:
            cells = []
            for name, of in zip(("long", "all"), chosen):
                path = f"{fits}-{word}-{name}.csv"
                with open(path, "w", newline="") as file:
                    writer = csv.DictWriter(file, head)
                    writer.writeheader()
                    writer.writerows(of)
                found = gpucal.evaluate("--times", path, *params, "--model", model) if params else \
                    gpucal.general(gpu, "--times", path)
                cells += section_8_cells(line(found, "model", model), orders(found, model=model))
            rows.append([text if model == own_model else "", label, *cells])
        # Of all launches, as the long ones of a stencil are too few to learn from.
        found = gpucal.evaluate("--times", path, "--params", f"{GENERAL}/{gpu}.yaml", "--model",
                                "general", "--seen", "3")
        long = [row for row in found if row["level"] == "set" and float(row["measured_s"]) >= 0.001]
        rows.append(["", "learned from three times", *section_8_cells(
            line(found, "band", "general", "above_1_ms"), orders(long)),
            *section_8_cells(line(found, "model", "general"), orders(found))])
    return rows


def learned(gpucal):
    """The general model, and as some launches of the same kernel correct it."""
    rows = []
    for gpu, name in GPUS:
        for seen in 0, 1, 2, 3:
            more = ["--seen", str(seen)] if seen else []
            lines = gpucal.folder_of_tests(gpu, "unseen", *more, baselines=not seen)
            for band, row in by_band(lines, "general"):
                rows.append([f"{name}, {seen or 'none'} seen" if band == "all" else "", band,
                             row["kernels"], *errors(row)])
    return table(("GPU", "measured time", "launches", *ERRORS), rows)


def own(gpucal):
    """Medians of errors, of the kernels' launches in records."""
    names = (("saxpy", "saxpy"), ("conv5x5", "convolution, 5 x 5"), ("nbody", "n-body, float4"),
             ("matmul", "matrix product, tiled"), ("reduce", "reduction, grid stride"))
    rows = []
    for name, text in names:
        cells = [text]
        for gpu, _ in GPUS:
            for seen in 0, 2, 5:
                lines = gpucal.general(gpu, "--replay", f"{DATA}/own-{gpu}/own-{name}.h5", name,
                                       *(["--seen", str(seen)] if seen else []), baselines=False)
                off = [abs(float(row["predicted_s"]) / float(row["measured_s"]) - 1) for row in lines
                       if row["level"] == "kernel" and row["predicted_s"]]
                cells.append(percent(100 * statistics.median(off)))
            if gpu == "h100":
                cells.insert(1, str(len(off)))
        rows.append(cells)
    head = [f"{name}: {what}" if what == "general" else what for _, name in GPUS
            for what in ("general", "2 seen", "5 seen")]
    return table(("kernel", "sizes", *head), rows)


SPACES = (("increment", "increment", "dtype:float32", "M:268435456"),
          ("dense", "dense", "dtype:float32", "K:256", "M:4194304"),
          ("dense2", "dense2", "dtype:float32", "K:256", "M:4194304"),
          ("kmeans", "kmeans", "dtype:float32", "D:8", "K:64", "M:4194304"),
          ("blur", "blur", "dtype:float32", "M:134217728"),
          ("reduce",), ("gemv",))  # gemm and convolve take minutes to count


def shares(order, times):
    """The share of the best speed after 10 of the configurations in this order; those without a time fail."""
    return min(times.values())/min((times[c] for c in order[:10] if c in times), default=math.inf)


def tune(gpucal):
    rows = []
    for name, *tags in SPACES:
        kernel = tags or [f"{ROOT}/tests/tune/{name}.cl", "--space", f"{ROOT}/tests/tune/{name}.yaml"]
        cells = []
        for gpu, _ in GPUS:
            path = f"{DATA}/tune/{gpu}/{name}.csv"
            found = json.loads(gpucal.run("tune", *kernel, "--params", f"{GENERAL}/{gpu}.yaml", "--model",
                                          "general", "--times", path, "--json"))
            replay = found["replay"]
            with open(path, newline="") as file:
                measured = {" ".join(sorted(row["configuration"].split())): row for row in csv.DictReader(file)}
            times = {c: float(row["seconds"]) for c, row in measured.items() if row["outcome"] == "timed"}
            random = Random(20261123)
            orders = (random.sample(list(measured), len(measured)) for _ in range(1000))
            reached = [replay["search"][replay["measurements"].index(n)] for n in (0, 10, 50)]
            reached.append(median(shares(order, times) for order in orders))
            cells.append([str(replay["timed"]), *(f"{share:.2f}" for share in reached)])
        rows.append([name, *beside(cells)])
    return table(("space, H100 / H200", "timed", "no measurement", "after 10", "after 50",
                  "random, 10"), rows)


TABLES = {function.__name__: function for function in (
    calibrations, accuracy, headline, baselines, wild, cpu, papers, papers_by_time, section_8, learned, own,
    tune)}


# ---- outputs that documents show ----

def shape(text):
    """A line without its numbers and blanks, by which it is found again."""
    return re.sub(r"[-+<]?[0-9][0-9.e]*|\s+", "", text)


def renew_outputs(gpucal, text):
    """The text with the outputs that commands of '--params tests/data/..' have now.  Lines that are shown
    stand for the printed ones of the same order that are like them; "..." are lines left out.
    """
    shutil.rmtree(f"{gpucal.folder}/shown", ignore_errors=True)
    os.makedirs(f"{gpucal.folder}/shown")
    for name in "tests", "docs":
        os.symlink(f"{ROOT}/{name}", f"{gpucal.folder}/shown/{name}")
    for path in SHOWN:
        with open(f"{ROOT}/{path}") as file:
            for language, source in re.findall(r"^```(c|cuda)\n(.*?)^```", file.read(), re.S | re.M):
                name = re.search(r"(?:kernel|__global__) void (\w+)", source)
                end = "cl" if language == "c" else "cu"
                if name:
                    with open(f"{gpucal.folder}/shown/{name[1]}.{end}", "w") as kernel:
                        kernel.write(source)

    def renew(block):
        command, shown = re.match(r"```\n\$ gpucal ((?:[^\n]*\\\n)*[^\n]*)\n(.*)^```",
                                  block[0], re.S | re.M).groups()
        if "--params tests/data/" not in command:
            return block[0]
        arguments = re.sub(r"\\\n", " ", command)
        printed = subprocess.run(f"'{gpucal.program}' {arguments}", shell=True, text=True,
                                 capture_output=True, env=gpucal.env, cwd=f"{gpucal.folder}/shown")
        if printed.returncode:
            sys.exit(f"tables.py: gpucal {arguments}\n{printed.stderr}")
        return f"```\n$ gpucal {command}\n" + alike(shown, printed.stdout.splitlines()) + "```"

    return re.sub(r"^```\n\$ gpucal .*?^```", renew, text, flags=re.S | re.M)


def alike(shown, printed):
    lines, first = [], 0
    for text in shown.splitlines():
        if text != "...":
            at = max(range(first, len(printed)), default=None, key=lambda i: (
                difflib.SequenceMatcher(None, shape(text), shape(printed[i])).ratio(), -i))
            if at is not None:
                text, first = printed[at], at + 1
        lines.append(text + "\n")
    return "".join(lines)


# ---- documents ----

def renew_tables(gpucal, text, wanted):
    def renew(found):
        if found[1] not in wanted:
            return found[0]
        return f"<!-- table {found[1]} -->\n{TABLES[found[1]](gpucal)}\n<!-- end -->"

    return re.sub(r"<!-- table (\w+) -->\n.*?<!-- end -->", renew, text, flags=re.S)


def draw(gpucal):
    for gpu, _ in GPUS:
        path = f"{gpucal.folder}/scatter.csv"
        gpucal.run("evaluate", "--params", f"{GENERAL}/{gpu}.yaml", "--model", "general", "--times",
                   f"{GENERAL}/scope-{gpu}.csv", "-C", f"{ROOT}/tests/scope", "--csv", path)
        subprocess.run([f"{ROOT}/scripts/results/scatter.sh", path, f"{ROOT}/docs/plots/general-{gpu}.svg"],
                       check=True)


def main():
    names = [*TABLES, "outputs", "plots"]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("gpucal")
    parser.add_argument("names", nargs="*", metavar="NAME",
                        help=f"what to compare or renew (default: all): {', '.join(names)}")
    parser.add_argument("--write", action="store_true", help="renew the documents and plots")
    options = parser.parse_intermixed_args()
    wanted = options.names or names
    if set(wanted) - set(names):
        parser.error(f"there are {', '.join(names)}")
    differ = False
    with tempfile.TemporaryDirectory() as folder:
        gpucal = Gpucal(options.gpucal, folder)
        for path in dict.fromkeys(DOCUMENTS + SHOWN):
            with open(f"{ROOT}/{path}") as file:
                old = file.read()
            new = renew_tables(gpucal, old, wanted) if path in DOCUMENTS else old
            if path in SHOWN and "outputs" in wanted:
                new = renew_outputs(gpucal, new)
            if options.write and new != old:
                with open(f"{ROOT}/{path}", "w") as file:
                    file.write(new)
            sys.stdout.writelines(difflib.unified_diff(old.splitlines(True), new.splitlines(True), path,
                                                       path))
            differ = differ or new != old
        if options.write and "plots" in wanted and shutil.which("gnuplot"):
            draw(gpucal)
    if differ and not options.write:
        sys.exit("the documents differ from the data: scripts/results/tables.py GPUCAL --write renews them")


if __name__ == "__main__":
    main()
