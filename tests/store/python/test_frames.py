"""DataFrames of stores and records."""

import shutil
import subprocess
import sys

import h5py
import numpy as np
import pytest
from conftest import DATA

import gpucal
import gpucal.frames
import gpucal.record


def test_devices(store):
    frame = gpucal.frames.devices(store)
    assert list(frame["node"]) == ["node17", "node17", "own", "vm"]
    assert frame["calibrated"].dt.tz is not None
    assert frame.loc[frame["node"] == "vm", "kind"].item() == "gpu"
    assert len(gpucal.frames.devices(store, "vm")) == 1


def test_parameters_and_facts(store, h200):
    costs = gpucal.frames.parameters(store, "matmul", "node17")
    assert list(costs["name"]) == ["p_madd", "p_launch"] * 2
    assert set(costs["node"]) == {"node17"}
    general = gpucal.frames.parameters(store)
    assert set(general["node"]) == {"node17", "vm"}  # "own" has models of target kernels alone
    facts = gpucal.frames.facts(store, "vm").set_index("name")
    assert facts.loc["rate_dram", "value"] == h200.facts()["rate_dram"].value


def test_audit(store, tmp_path):
    """Of a store that was published with its tracks."""
    command = ["gpucal", "fit", "--record", DATA / "two-gpus" / "record.h5", "--store", tmp_path]
    tmp_path.chmod(0o755)
    subprocess.run(command, check=True, capture_output=True)
    published = gpucal.Store(tmp_path)
    frame = gpucal.frames.audit(published)
    assert set(frame["uid"]) == {device.uid for device in published.devices()}
    assert set(frame["verdict"]) == {"unknown"} and set(frame["calibrations"]) == {1}
    with pytest.raises(gpucal.Error, match="bad-option"):
        gpucal.frames.audit(published, "--bad-option")


def test_record():
    path = DATA / "general" / "cpu.h5"
    record = gpucal.record.read_record(path)
    assert record.attributes["format"] == "gpucal-record" and "models:" in record.config
    samples = record.tables["samples"]
    assert samples.attrs["units"]["time"] == "s"
    assert set(record.tables["kernels"]["form"].cat.categories) == {
        "complete",
        "loads",
        "onchip",
        "memory",
    }
    with h5py.File(path) as file:
        m, k = file["measurements"], file["kernels"]
        good = np.flatnonzero(m["n_samples"][()])
        first = m["first_sample"][()][good]
        expected = [
            np.median(file["samples/time"][i : i + n])
            for i, n in zip(first, m["n_samples"][()][good])
        ]
        names = k["name"].asstr()[()][m["kernel"][()][good]]
    timings = record.timings()
    assert list(timings["kernel"]) == list(names)
    assert list(timings["time"]) == expected
    sizes = timings.filter(regex="^size_").iloc[7].dropna().to_dict()
    assert sizes == {f"size_{name}": value for name, value in sizes_of(path, good[7]).items()}


def sizes_of(path, measurement):
    """The sizes of a measurement's kernel, as in the file."""
    with h5py.File(path) as file:
        kernel = file["measurements/kernel"][measurement]
        first, n = file["kernels/first_size"][kernel], file["kernels/n_sizes"][kernel]
        names = file["sizes/name"].asstr()[first : first + n]
        return dict(zip(names, file["sizes/value"][first : first + n]))


def test_old_record():
    assert len(gpucal.record.read_record(DATA / "two-gpus" / "record.h5").timings()) > 0


def test_parquet(tmp_path):
    pytest.importorskip("pyarrow")
    import pandas as pd

    record = gpucal.record.read_record(DATA / "general" / "cpu.h5")
    record.to_parquet(tmp_path / "tables")
    again = pd.read_parquet(tmp_path / "tables" / "samples.parquet")
    pd.testing.assert_frame_equal(again, record.tables["samples"])


def test_refuses_other_files(tmp_path):
    with h5py.File(tmp_path / "other.h5", "w") as file:
        file["x"] = 1
    with pytest.raises(ValueError, match="not a record"):
        gpucal.record.read_record(tmp_path / "other.h5")
    with pytest.raises(OSError):
        gpucal.record.read_record(tmp_path / "none.h5")


def run_example(name, *arguments):
    example = DATA.parents[1] / "docs" / "examples" / "python" / name
    return subprocess.run(
        [sys.executable, example, *arguments], capture_output=True, text=True, check=False
    )


def test_split_example(folder):
    """(2.571e-12 * 3 * n^2 + 7.2e-6) * 0.9875 = (2.385e-12 * 3 * (4096 - n)^2 + 7.2e-6) * 1.0125
    at n = 2025.3: of its neighbours among multiples of 64, 2048 ends earlier than 1984.
    """
    profile = DATA / "mm.profile.yaml"
    done = run_example("split.py", folder, profile, "4096", "n", "4096", "64", "node17")
    assert done.stdout.splitlines()[-3:] == [
        "node17 uuid:0b6f 2048 3.767537e-05",
        "node17 uuid:7713 2048 3.905628e-05",
        "expected end: 3.906684e-05",
    ], done.stderr
    done = run_example("split.py", folder, profile, "4096", "n", "4096", "0", "node17")
    assert done.returncode == 1 and "granularity 0: must be" in done.stderr


def test_tour_example(folder, tmp_path):
    tmp_path.chmod(0o755)
    (tmp_path / "nodes").mkdir(mode=0o755)
    shutil.copyfile(folder / "nodes" / "vm.yaml", tmp_path / "nodes" / "vm.yaml")
    done = run_example("tour.py", tmp_path, DATA / "general" / "cpu.h5")
    assert done.returncode == 0, done.stderr
    for text in ("rate_dram", "time_s", "work-groups of 256", "fastest of all", "Ratio(", "private_array"):
        assert text in done.stdout
