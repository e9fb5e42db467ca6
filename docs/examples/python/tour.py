#!/usr/bin/env python3
# %% [markdown]
# # A tour of gpucal for Python
#
# Cells for VS Code, Spyder or jupytext; as a program: `tour.py STORE [RECORD.h5]`.

# %%
import sys

import numpy as np

import gpucal
import gpucal.frames

store = gpucal.Store(sys.argv[1] if len(sys.argv) > 1 else None)  # None: $GPUCAL_STORE
print(gpucal.frames.devices(store)[["node", "name", "kind", "calibrated", "driver"]])

# %% [markdown]
# ## What was measured
# Rates, latencies and capacities of all devices, one column for each.

# %%
facts = gpucal.frames.facts(store)
table = facts.pivot_table(index="name", columns=["node", "uid"], values="value")
print(table.filter(like="rate_", axis="index"))

# %% [markdown]
# ## A kernel, from its source
# Counted within this program for the first device.

# %%
SAXPY = """
__kernel void saxpy(__global const float *x, __global float *y, float a, int n)
{
    int i = get_global_id(0);
    if (i < n)
        y[i] = a * x[i] + y[i];
}
"""
device = store.devices()[0]
profile = gpucal.count(SAXPY, local=[256], work_items=["n"], device=device)
model = device.bind(profile)
print(model)
print(model.predict(n=2**20))

# %% [markdown]
# ## A curve
# All sizes in one call; a DataFrame is ready to be plotted, with `low_s` and `high_s` as a band.

# %%
times = model.predict_array(n=2.0 ** np.arange(12, 27, 2)).to_frame()
times["GB/s"] = 12 * times["n"] / times["time_s"] / 1e9
print(times[["n", "time_s", "low_s", "high_s", "GB/s", "roof"]])

# %% [markdown]
# ## Which work-group?
# The errors of two predictions for one device are correlated, so that a small difference may be
# certain.

# %%
sizes = [64, 128, 256, 512]
profiles = [gpucal.count(SAXPY, local=[k], work_items=["n"], device=device) for k in sizes]
launches = [device.bind(p).at(n=2**24) for p in profiles]
ranking = gpucal.rank(launches)
for ranked in ranking:
    print(
        f"work-groups of {sizes[launches.index(ranked.launch)]}: {ranked.time_s:.3e} s, "
        f"faster than the first with probability {ranked.faster:.2f}"
    )
chance = gpucal.fastest([ranked.launch for ranked in ranking])
print(f"the first is the fastest of all with probability {chance:.2f}")
print(gpucal.compare(launches[0], launches[-1]))

# %% [markdown]
# ## Work divided over all devices
# Copies included, where a device has a model of them.

# %%
shares = []
for other in store.devices():
    counted = gpucal.count(SAXPY, local=[256], work_items=["n"], device=other)
    share = gpucal.Share(other.bind(counted).at(n=1), unit="n")
    if "transfer" in other.models:
        share = share.with_copies(in_bytes=8, out_bytes=4)
    shares.append(share)
division = gpucal.split(shares, 2**24, granularity=256)
for part in division.parts:
    print(part.share.launch.model.device, part.units, part.time_s)

# %% [markdown]
# ## A record
# All timings of a calibration run.

# %%
if len(sys.argv) > 2:
    import gpucal.record

    record = gpucal.record.read_record(sys.argv[2])
    timings = record.timings()
    print(timings.groupby("generator")["time"].describe())
