#!/usr/bin/env python3
"""Simulates what gpucal's predictions are worth to a scheduler of unequal devices.

    benefit.py [-n WORKLOADS] [-j JOBS] GPUCAL OUT

Jobs are launches of the kernels of tests/scope, which no model is fitted to, repeated many times;
their true times are those that tests/data/general recorded on an H200, an H100 and a CPU with two
cores.  A list scheduler places them on devices of these types and knows their times by peak
rates, by gpucal's predictions, or as they are.  Of the gain that true times bring over peak rates,
the table says how much predictions bring.  Writes OUT/benefit.md and OUT/benefit.svg (gnuplot).

The scheduler late-binds: whenever a device becomes free, jobs are considered in the order of the
queue, each goes to the device where it is expected to end first (minimum completion time), and
starts if that device is free.  Durations are heavy-tailed as in traces of GPU clusters (Jeon et
al. 2019): log-normal, here with a median of a minute and a sigma of 1.5, on the H100.
"""
import argparse
import csv
import heapq
import math
import os
import random
import statistics
import subprocess

ROOT = os.path.realpath(f"{os.path.dirname(__file__)}/../..")
DATA = os.path.join(ROOT, "tests", "data", "general")

# FLOP/s of 32-bit multiply-adds, and bytes/s of memory.  GPUs: the data sheets; the CPU: 2
# threads at 2 GHz with two units of 16 lanes, and, without a data sheet, its measured bandwidth.
PEAKS = {"h200": (66.9e12, 4.8e12), "h100": (66.9e12, 3.35e12), "cpu": (0.256e12, 0.069e12)}

CLUSTERS = {  # devices by type
    "4 H200 and 4 H100": {"h200": 4, "h100": 4},
    "1 H200, 1 H100 and 24 CPUs of two cores": {"h200": 1, "h100": 1, "cpu": 24},
}

MEDIAN_S, SIGMA = 60, 1.5  # of a job, on the H100
MOST_KERNELS = 4           # of a job
LOOK_AHEAD = 40            # jobs of the queue that are considered at a time


# ---- kernels: times and what schedulers believe ----

def frozen_applications():
    """Those that nobody looked at while models were designed (tests/scope/README.md)."""
    with open(os.path.join(ROOT, "tests", "scope", "SETS"), encoding="utf-8") as file:
        rows = [line.split() for line in file if not line.startswith("#")]
    return {row[0] for row in rows if row[1] == "frozen"}


def counted_work():
    """By kernel: (flops, bytes that work-items load and store)."""
    with open(os.path.join(DATA, "scope-h100.csv"), newline="", encoding="utf-8") as file:
        return {(row["generator"], row["arguments"]): (float(row["flops"]), float(row["bytes"]))
                for row in csv.DictReader(file)}


def evaluate(gpucal, device, out):
    """By kernel: (measured, predicted), in seconds."""
    path = os.path.join(out, device + ".csv")
    with open(os.path.join(out, device + ".txt"), "w", encoding="utf-8") as log:
        subprocess.run([gpucal, "evaluate", "--times", f"{DATA}/scope-{device}.csv", "--catalogue",
                        f"{ROOT}/tests/scope", "--params", f"{DATA}/{device}.yaml", "--model",
                        "general", "--csv", path], check=True, stdout=log, stderr=log)
    with open(path, newline="", encoding="utf-8") as file:
        return {(row["generator"], row["sizes"]): (float(row["measured_s"]),
                                                   float(row["predicted_s"]))
                for row in csv.DictReader(file)
                if row["level"] == "kernel" and row["predicted_s"] and row["measured_s"]}


class Beliefs:
    """Times of kernels by device type, as each scheduler knows them."""

    WAYS = ("equal", "peak", "roofline", "gpucal", "true")

    def __init__(self, gpucal, out):
        self.times = {device: evaluate(gpucal, device, out) for device in PEAKS}
        self.work = counted_work()
        self.frozen = frozen_applications()

    def kernels(self, types):
        """Kernels with times and predictions on all of the types: those of the frozen set; on CPUs,
        where none of it was timed, those of the other."""
        common = set.intersection(*(set(self.times[t]) for t in types)) & set(self.work)
        frozen = {k for k in common if k[0].split("_")[0] in self.frozen}
        return sorted(frozen or common)

    def time_s(self, way, device, kernel):
        flops, size = self.work[kernel]
        if way == "true":
            return self.times[device][kernel][0]
        if way == "gpucal":
            return self.times[device][kernel][1]
        if way == "roofline":
            return max(flops / PEAKS[device][0], size / PEAKS[device][1])
        # One rate for each device: the ratio of any job's times is that of the peaks.
        scale = 1 if way == "equal" else PEAKS["h100"][0] / PEAKS[device][0]
        return scale * self.times["h100"][kernel][0]


# ---- workloads ----

def make_jobs(rng, beliefs, kernels, n_jobs):
    """Lists of (kernel, runs)."""
    jobs = []
    for _ in range(n_jobs):
        chosen = rng.sample(kernels, rng.randint(1, MOST_KERNELS))
        share_s = rng.lognormvariate(math.log(MEDIAN_S), SIGMA) / len(chosen)
        jobs.append([(k, share_s / beliefs.time_s("true", "h100", k)) for k in chosen])
    return jobs


def duration_s(beliefs, way, device, job):
    return sum(runs * beliefs.time_s(way, device, kernel) for kernel, runs in job)


# ---- the scheduler ----

def schedule(devices, expected_s, true_s):
    """The makespan.  'devices': their types; the others: by job and type."""
    queue, running, now_s, end_s = list(range(len(true_s))), [], 0.0, 0.0
    believed_free_s = [0.0] * len(devices)
    busy = [False] * len(devices)
    while queue or running:
        for job, device in place(queue, devices, expected_s, believed_free_s, busy, now_s):
            busy[device] = True
            believed_free_s[device] = now_s + expected_s[job][devices[device]]
            heapq.heappush(running, (now_s + true_s[job][devices[device]], device))
        now_s, device = heapq.heappop(running)
        busy[device], believed_free_s[device] = False, now_s
        end_s = max(end_s, now_s)
    return end_s


def place(queue, devices, expected_s, believed_free_s, busy, now_s):
    """Takes jobs that start now from the queue, as (job, device)."""
    free_s = [max(t, now_s) if b else now_s for t, b in zip(believed_free_s, busy)]
    taken, started = set(d for d, b in enumerate(busy) if b), []
    for job in queue[:LOOK_AHEAD]:
        if len(taken) == len(devices):
            break
        best = min(range(len(devices)),
                   key=lambda d, j=job: free_s[d] + expected_s[j][devices[d]])
        free_s[best] += expected_s[job][devices[best]]
        if best not in taken:
            taken.add(best)
            started.append((job, best))
    for job, _ in started:
        queue.remove(job)
    return started


def simulate(beliefs, cluster, seed, n_jobs):
    """Makespans by way of one workload, in seconds."""
    rng = random.Random(seed)
    kernels = beliefs.kernels(cluster)
    jobs = make_jobs(rng, beliefs, kernels, n_jobs)
    devices = [t for t, n in cluster.items() for _ in range(n)]
    by_way = {way: [{t: duration_s(beliefs, way, t, job) for t in cluster} for job in jobs]
              for way in Beliefs.WAYS}
    return {way: schedule(devices, by_way[way], by_way["true"]) for way in Beliefs.WAYS}


# ---- results ----

LABELS = {"equal": "all devices alike", "peak": "peak FLOP/s", "roofline": "roofline of peaks",
          "gpucal": "gpucal", "true": "true times"}


def share(runs, base):
    """Of the gain of true times over 'base', what predictions bring, by sums over workloads."""
    total = {way: sum(run[way] for run in runs) for way in Beliefs.WAYS}
    return (total[base] - total["gpucal"]) / (total[base] - total["true"])


def table(name, runs, n_kernels, n_jobs):
    lines = [f"{name}: {len(runs)} workloads of {n_jobs} jobs, of {n_kernels} launches that no model "
             "was fitted to.", "",
             "| the scheduler knows | makespan over that by true times, median (5 to 95 %) | "
             "gpucal's share of the possible gain over it |", "|---|---|---|"]
    for way in Beliefs.WAYS:
        ratios = sorted(run[way] / run["true"] for run in runs)
        cut = len(ratios) // 20
        gained = f"{100 * share(runs, way):.0f} %" if way not in ("gpucal", "true") else ""
        lines.append(f"| {LABELS[way]} | {statistics.median(ratios):.3f} "
                     f"({ratios[cut]:.3f} to {ratios[-1 - cut]:.3f}) | {gained} |")
    return "\n".join(lines) + "\n"


def draw(results, out):
    """Medians with 5 and 95 %, a group for each cluster."""
    with open(os.path.join(out, "benefit.dat"), "w", encoding="utf-8") as file:
        for at, way in enumerate(Beliefs.WAYS[:-1]):
            file.write(f'"{LABELS[way]}"\n')
            for group, runs in enumerate(results.values()):
                ratios = sorted(run[way] / run["true"] for run in runs)
                cut = len(ratios) // 20
                file.write(f"{group + 0.2 * (at - 1.5):.2f} {statistics.median(ratios):.4f} "
                           f"{ratios[cut]:.4f} {ratios[-1 - cut]:.4f}\n")
            file.write("\n\n")
    tics = ", ".join(f'"{name}" {i}' for i, name in enumerate(results))
    script = f"""set terminal svg size 720,360 font "sans,12" background "white"
set output "{out}/benefit.svg"
set ylabel "makespan, relative to true times"
set xrange [-0.6:{len(results) - 0.4}]
set yrange [0.95:*]
set logscale y
set ytics (1, 1.1, 1.2, 1.5, 2, 3, 4, 5, 7, 10)
set xtics ({tics}) scale 0
set grid y linecolor "#dddddd"
set key outside right top noenhanced
plot for [i=0:{len(Beliefs.WAYS) - 2}] "{out}/benefit.dat" index i using 1:2:3:4 with yerrorbars \\
    pointtype 7 pointsize 0.8 linecolor i + 1 title columnheader(1)
"""
    subprocess.run(["gnuplot"], input=script, text=True, check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", type=int, default=100, metavar="WORKLOADS")
    parser.add_argument("-j", type=int, default=200, metavar="JOBS")
    parser.add_argument("gpucal", metavar="GPUCAL")
    parser.add_argument("out", metavar="OUT")
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    beliefs = Beliefs(os.path.abspath(options.gpucal), options.out)
    results = {name: [simulate(beliefs, cluster, seed, options.j) for seed in range(options.n)]
               for name, cluster in CLUSTERS.items()}
    text = "\n".join(table(name, runs, len(beliefs.kernels(CLUSTERS[name])), options.j)
                     for name, runs in results.items())
    with open(os.path.join(options.out, "benefit.md"), "w", encoding="utf-8") as file:
        file.write(text)
    draw(results, options.out)
    print(text)


if __name__ == "__main__":
    main()
