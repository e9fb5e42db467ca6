#!/usr/bin/env python3
"""Divides work over the devices of some nodes by predictions of libgpucal.

    split.py STORE PROFILE SIZE[,SIZE..] UNIT UNITS GRANULARITY NODE..

The kernel of PROFILE runs with these sizes, except for the one named UNIT, of which UNITS are
divided in multiples of GRANULARITY.
"""

import sys

import gpucal


def main():
    if len(sys.argv) < 8:
        sys.exit(__doc__)
    path, profile_path, texts, unit, units, granularity = sys.argv[1:7]
    store = gpucal.Store(path)
    profile = gpucal.Profile.read(profile_path)
    sizes = dict(zip(profile.sizes, map(float, texts.split(",")), strict=True))
    models = [device.bind(profile) for node in sys.argv[7:] for device in store.devices(node)]

    parts = [float(units) / 2**i for i in (3, 2, 1, 0)]
    for model in models:
        times = model.predict_array(**sizes | {unit: parts}).time_s
        print(
            model.device.node,
            model.device.uid,
            *(f"{part:g}: {time:.6e} s" for part, time in zip(parts, times)),
            sep="  ",
        )

    shares = [gpucal.Share(model.at(**sizes), unit) for model in models]
    division = gpucal.split(shares, float(units), float(granularity))
    for part in division.parts:
        device = part.share.launch.model.device
        print(f"{device.node} {device.uid} {part.units:g} {part.time_s:.6e}")
    print(f"expected end: {division.makespan_s:.6e}")


if __name__ == "__main__":
    try:
        main()
    except (gpucal.Error, ValueError) as reason:
        sys.exit(f"split.py: {reason}")
