#!/usr/bin/env python3
"""matrix.py GPUCAL ROOT - predicts the products of tests/matrix again by the parameters that runs on an H100 and an H200 gave,
and compares with the predictions and times of those runs."""

import csv
import json
import subprocess
import sys

MOST = {  # errors in percent, rounded up
    ("h100", "product_async<2>"): 11, ("h100", "product_plain"): 14, ("h100", "product_wmma<__nv_bfloat16>"): 36,
    ("h200", "product_async<2>"): 23, ("h200", "product_plain"): 13, ("h200", "product_wmma<__nv_bfloat16>"): 35,
    ("h200", "product_wmma<half>"): 12,
}

gpucal, root = sys.argv[1:]
failed = False
for (gpu, kernel), most in MOST.items():
    with open(f"{root}/tests/data/matrix/products-{gpu}.csv", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["kernel"] == kernel]
    sizes = ",".join(row["sizes"].removeprefix("n=") for row in rows)
    out = subprocess.run(
        [gpucal, "predict", f"{root}/tests/matrix/products.cu", "-k", kernel, "--block", "256,1", "--grid", "n/128,n/128",
         "--at", f"n={sizes}", "--model", "general", "--params", f"{root}/tests/data/matrix/{gpu}.yaml", "--json"],
        check=True, stdout=subprocess.PIPE, text=True).stdout
    for row, predicted in zip(rows, json.loads(out), strict=True):
        error = 100 * (predicted["time_s"] / float(row["measured_s"]) - 1)
        same = abs(predicted["time_s"] / float(row["general_s"]) - 1) < 1e-4
        failed |= not same or abs(error) > most
        print(f"{gpu} {kernel} {row['sizes']}: {predicted['time_s']:.4g} s, {error:+.1f} %{'' if same else ', not as recorded'}")
sys.exit(failed)
