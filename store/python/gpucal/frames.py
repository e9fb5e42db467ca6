"""Devices, parameters, facts and audits of a store as pandas DataFrames."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

import pandas as pd

from .errors import Code, Error
from .store import Device, Quantity, Store


def devices(store: Store, node: str | None = None) -> pd.DataFrame:
    """A row for each device: node, uid, name, type, kind, pci, driver, run, sub_group_size, models,
    calibrated (UTC) and age.
    """
    columns = [
        "node",
        "uid",
        "name",
        "type",
        "kind",
        "pci",
        "driver",
        "run",
        "sub_group_size",
        "models",
        "calibrated",
        "age",
    ]
    return pd.DataFrame(
        [{name: getattr(d, name) for name in columns} for d in store.devices(node)],
        columns=columns,
    )


def _quantities(
    store: Store, node: str | None, list_of: Callable[[Device], Mapping[str, Quantity]]
) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {"node": d.node, "uid": d.uid} | asdict(quantity)
            for d in store.devices(node)
            for quantity in list_of(d).values()
        ],
        columns=["node", "uid", "name", "value", "standard_error", "unit", "text"],
    )


def parameters(store: Store, model: str | None = None, node: str | None = None) -> pd.DataFrame:
    """A row for each parameter of a model (None: the general one) on each device that has it."""

    def of_model(device: Device) -> Mapping[str, Quantity]:
        try:
            return device.parameters(model)
        except Error as reason:
            if reason.code == Code.MODEL:
                return {}
            raise

    return _quantities(store, node, of_model).drop(columns="text")


def facts(store: Store, node: str | None = None) -> pd.DataFrame:
    """A row for each rate, latency and capacity of each device."""
    return _quantities(store, node, lambda d: d.facts())


def audit(store: Store, *options: str, program: str = "gpucal") -> pd.DataFrame:
    """What ``gpucal audit`` finds: a row for each finding, and one with empty columns for a device
    without any.  ``options`` are the command's, such as ``"--node=n1*"`` or ``"--warn=4"``.

    Runs ``program``; :class:`Error` if it cannot read the store.
    """
    command = [program, "audit", "--all", "--json", "--store", os.fspath(store.path), *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 2, 3):  # no warning, a warning, a failure
        raise Error(done.stderr.strip() or f"{program} audit: status {done.returncode}")
    about = ["node", "uid", "name", "type", "verdict"]
    found = ["code", "what", "next", "change", "change_low", "change_high", "since", "false_alarm"]
    rows: list[dict[str, Any]] = []
    for device in json.loads(done.stdout)["devices"]:
        own = {name: device[name] for name in about} | {"calibrations": len(device["runs"])}
        for finding in device["findings"] or [{}]:
            rows.append(own | {name: finding.get(name) for name in found})
    return pd.DataFrame(rows, columns=[*about, "calibrations", *found])
