#!/usr/bin/env python3
"""tables.py gavel|pal < EXPORT.json - what schedulers of research read, from 'gpucal export --json'.

gavel: the runs per second of each kernel on each device type, the mean over its devices, as JSON in
the layout of the throughputs of Gavel's simulator (Narayanan et al., OSDI 2020):
{"TYPE": {"('KERNEL n=4096', 1)": {"null": 812.5}}}, where 1 is the number of accelerators, and null
means that the job does not share them.

pal: the time of each class of work on a device over that on the median device of its type, 1.1 for
10 % slower, as CSV for placement policies such as PAL (Jain et al., SC 2024).  A class is a kernel at
given sizes, or, without kernels, a cost of the model.
"""
import csv
import json
import statistics
import sys

if sys.argv[1:] not in (["gavel"], ["pal"]):
    sys.exit("usage: tables.py gavel|pal < EXPORT.json")
speeds = json.load(sys.stdin)
times = {}  # by type and class, with their devices
for node in speeds["nodes"]:
    for device in node["devices"]:
        of_type = times.setdefault(device["type"], {})
        for cost, seconds in zip(speeds["costs"], device["costs"]):
            if seconds is not None:
                of_type.setdefault(cost, []).append((node["node"], device["uid"], seconds))
if sys.argv[1] == "gavel":
    json.dump({kind: {f"('{cost}', 1)": {"null": statistics.fmean(1 / seconds for _, _, seconds in known)}
                      for cost, known in of_type.items()} for kind, of_type in times.items()}, sys.stdout, indent=4)
    print()
else:
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["node", "uid", "type", "class", "score"])
    for kind, of_type in times.items():
        for cost, known in of_type.items():
            median = statistics.median(seconds for _, _, seconds in known)
            for node, uid, seconds in known:
                out.writerow([node, uid, kind, cost, f"{seconds / median:.4f}"])
