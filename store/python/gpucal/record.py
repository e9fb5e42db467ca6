"""Records of calibrations (gpucal-record(5)) as pandas DataFrames."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pandas as pd


@dataclass(frozen=True)
class Record:
    """All measurements of a run.

    ``tables``: "devices", "kernels", "measurements", "samples", ... as in gpucal-record(5), each
    with a column for each dataset.  Texts are str, enumerations are categorical, and a table's
    ``attrs["units"]`` has the units of its columns ("s", "byte", "Hz").  ``attributes`` are those
    of the run, and ``config`` is the text of its configuration.
    """

    attributes: dict[str, Any]
    config: str
    tables: dict[str, pd.DataFrame]

    def timings(self) -> pd.DataFrame:
        """A row for each measurement that gave times: node, uid, kernel, generator, form, the
        samples and their median, in s, and each size of the kernel in a column of its name.
        """
        t = self.tables
        measured = t["measurements"][t["measurements"]["n_samples"] > 0]
        kernels = t["kernels"].iloc[measured["kernel"]]
        devices = t["devices"].iloc[measured["device"]]
        times = t["samples"]["time"].to_numpy()
        spans = zip(measured["first_sample"], measured["n_samples"])
        frame = pd.DataFrame(
            {
                "node": devices["node"].to_numpy(),
                "uid": devices["uid"].to_numpy(),
                "kernel": kernels["name"].to_numpy(),
                "generator": kernels["generator"].to_numpy(),
                "form": kernels["form"].to_numpy() if "form" in kernels else "complete",
                "samples": measured["n_samples"].to_numpy(),
                "time": [np.median(times[first : first + n]) for first, n in spans],
            }
        )
        sizes = [
            dict(zip(t["sizes"]["name"][first : first + n], t["sizes"]["value"][first : first + n]))
            for first, n in zip(kernels["first_size"], kernels["n_sizes"])
        ]
        frame.attrs["units"] = {"time": "s"}
        return frame.join(pd.DataFrame(sizes).add_prefix("size_"))

    def to_parquet(self, folder: str | os.PathLike[str]) -> None:
        """Writes each table to FOLDER/TABLE.parquet; needs pyarrow or fastparquet."""
        Path(folder).mkdir(parents=True, exist_ok=True)
        for name, table in self.tables.items():
            table.to_parquet(Path(folder) / f"{name}.parquet")


def _column(dataset: h5py.Dataset) -> Any:
    names = h5py.check_enum_dtype(dataset.dtype)
    if names:
        categories = sorted(names, key=names.__getitem__)
        return pd.Categorical.from_codes(dataset[()], categories=categories)
    if h5py.check_string_dtype(dataset.dtype):
        return dataset.asstr()[()]
    return dataset[()]


def _table(group: h5py.Group) -> pd.DataFrame:
    table = pd.DataFrame({name: _column(dataset) for name, dataset in group.items()})
    table.attrs["units"] = {
        name: dataset.attrs["units"] for name, dataset in group.items() if "units" in dataset.attrs
    }
    return table


def read_record(path: str | os.PathLike[str]) -> Record:
    """Reads a record.  OSError: the file is missing or not HDF5.  ValueError: not a record."""
    with h5py.File(path) as file:
        attributes = dict(file.attrs)
        if attributes.get("format") != "gpucal-record":
            raise ValueError(f"{os.fspath(path)} is not a record of gpucal")
        tables = {n: _table(item) for n, item in file.items() if isinstance(item, h5py.Group)}
        return Record(attributes, file["config"].asstr()[()], tables)
