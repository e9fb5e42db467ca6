#!/usr/bin/env python3
"""How often 90 % intervals have the true time, of a simulated device with noise.

    coverage.py [-n STORES] [-r RUNS] [-k KERNELS] [BUILD] [NOISE..]

For each kind of noise, a device is calibrated RUNS times into each of STORES stores, and after
each calibration the times of two kernels are predicted.  The truth is the time without noise, of
two speeds the one in the middle.  Printed are, for the first calibration of a
store, the second, the third and the later ones together: how many intervals have the truth, their
half width (median), and the errors of predictions (root mean square).  The predictions of a
calibration share its costs, so that a line rests on as many cases as there are calibrations.

  -n STORES   default: 20          -r RUNS     default: 6
  -k KERNELS  measured, an even number up to 16: default 16
BUILD: the build folder (default: build); NOISE: see tests/mpi/ranks/simulated_device.c
"""
import argparse
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

NOISES = ["own 0.01", "own 0.1", "lasts 0.05 0.9", "lasts 0.05 0.99", "lasts 0.05 0.997", "lasts 0.05 0.9999", "speeds 1.3 100"]
PREDICTED = 16384
SIZES = [1024 << i for i in range(8)]
WORK_ITEMS = 131072
NS = 0.0002
CONFIGURATION = """version: 1
devices: {{kinds: [cpu, gpu]}}
measure: {{budget_s: 600, min_time_s: 2e-5, max_time_s: 1, min_samples: 8, max_samples: 24, noise: 0.01, rungs: 6, kernel_limit_s: 60}}
models:
  - name: flops
    output: f_cl_wall_time
    expression: p_add * f_op_float32_add + p_mul * f_op_float32_mul + p_launch * f_sync_kernel_launch
    kernels:
      - {{tags: [flops_add_pattern, "dtype:float32", "m:{sizes}"]}}
      - {{tags: [flops_mul_pattern, "dtype:float32", "m:{sizes}"]}}
"""


def run(arguments, environment):
    done = subprocess.run(arguments, env=environment, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, arguments))}: {done.returncode}\n{done.stderr}")
    return done.stdout


def calibrate(gpucal, environment, folder, middle):
    """One more calibration: of each prediction, whether it has the truth, its half width, its error."""
    run([gpucal, "calibrate", "--quiet", "--config", folder / "models.yaml", "--device", "Simulated device",
         "--store", folder / "store"], environment)
    found = []
    truth = (2e-6 + NS * 1e-9 * WORK_ITEMS * PREDICTED) * middle
    for kernel in ("flops_add_pattern", "flops_mul_pattern"):
        p = json.loads(run([gpucal, "predict", "--store", folder / "store", "--node", "simulated", kernel,
                            "dtype:float32", f"m:{PREDICTED}", "--json"], environment))
        found.append((p["low_s"] <= truth <= p["high_s"], math.log(p["high_s"] / p["low_s"]) / 2,
                      math.log(p["time_s"] / truth)))
    return found


def print_noise(args, noise, build, cache):
    """Its lines."""
    device = build / "tests/mpi/libsimulated_device.so"
    gpucal = build / "mpi/gpucal"
    words = noise.split()
    middle = math.sqrt(float(words[1])) if words[0] == "speeds" else 1
    rows = {}
    for store in range(args.n):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "store").mkdir()
            (folder / "store/simulated").touch()
            sizes = SIZES[-(args.k // 2):]
            (folder / "models.yaml").write_text(CONFIGURATION.format(sizes=",".join(map(str, sizes))))
            for at in range(args.r):
                environment = dict(os.environ, OCL_ICD_VENDORS=str(device), SIMULATED_NS=str(NS), SIMULATED_NOISE=noise,
                                   SIMULATED_SEED=str(1000 * store + at), SLURMD_NODENAME="simulated",
                                   XDG_CACHE_HOME=cache)
                rows.setdefault(min(at, 3), []).extend(calibrate(gpucal, environment, folder, middle))
    for at, found in sorted(rows.items()):
        inside = 100 * statistics.mean(f[0] for f in found)
        width = 100 * statistics.median(f[1] for f in found)
        error = 100 * math.sqrt(statistics.mean(f[2] ** 2 for f in found))
        print(f"{noise if at == 0 else '':19} {('first', 'second', 'third', 'later')[at]:11} {inside:5.0f} % {width:9.1f} % {error:10.1f} %", flush=True)


def main():
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("-h", action="store_true")
    parser.add_argument("-n", type=int, default=20)
    parser.add_argument("-r", type=int, default=6)
    parser.add_argument("-k", type=int, default=16)
    parser.add_argument("build", nargs="?", default="build")
    parser.add_argument("noises", nargs="*")
    args = parser.parse_args()
    if args.h:
        sys.exit(__doc__)
    build = pathlib.Path(args.build).resolve()
    print("noise               calibration  inside  half width  error (rms)")
    with tempfile.TemporaryDirectory() as cache:
        for noise in args.noises or NOISES:
            print_noise(args, noise, build, cache)


main()
