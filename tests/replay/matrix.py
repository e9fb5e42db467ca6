#!/usr/bin/env python3
"""matrix.py GPUCAL ROOT - predicts the products of tests/matrix again by the parameters that a run on an H100 gave, and
compares with the predictions and times of that run."""

import csv
import json
import subprocess
import sys

MOST = {"product_async<2>": 11, "product_plain": 14, "product_wmma": 36}  # errors in percent, rounded up

gpucal, root = sys.argv[1:]
failed = False
with open(f"{root}/tests/data/matrix/products.csv", encoding="utf-8") as file:
    for row in csv.DictReader(file):
        out = subprocess.run(
            [gpucal, "predict", f"{root}/tests/matrix/products.cu", "-k", row["kernel"], "--block", "256,1", "--grid",
             "n/128,n/128", "--at", row["sizes"], "--model", "general", "--params", f"{root}/tests/data/matrix/h100.yaml",
             "--json"], check=True, stdout=subprocess.PIPE, text=True).stdout
        time_s = json.loads(out)["time_s"]
        error = 100 * (time_s / float(row["measured_s"]) - 1)
        same = abs(time_s / float(row["general_s"]) - 1) < 1e-4
        failed |= not same or abs(error) > MOST[row["kernel"]]
        print(f"{row['kernel']} {row['sizes']}: {time_s:.4g} s, {error:+.1f} %{'' if same else ', not as recorded'}")
sys.exit(failed)
