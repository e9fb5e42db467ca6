"""Stores, devices, predictions, choices: the same numbers as by hand and by the command."""

import datetime
import json
import math
import re
import shutil
import subprocess
import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from conftest import DATA, SAXPY

import gpucal


def time_of(n, madd_s=2.385e-12, factor=1.0125):
    return factor * (madd_s * 3 * n**2 + 7.2e-6)


# ---- the library ----


def test_version_is_that_of_the_header():
    header = (Path(gpucal.__file__).parent / "gpucal.h").read_text()
    parts = (re.search(rf"GPUCAL_VERSION_{p} +(\d+)", header) for p in ("MAJOR", "MINOR", "PATCH"))
    assert gpucal.__version__ == ".".join(part[1] for part in parts)


def test_codes_are_those_of_the_header():
    header = (Path(gpucal.__file__).parent / "gpucal.h").read_text()
    declared = {int(value, 16) for value in re.findall(r"GPUCAL_E[A-Z]+ = (0x\w+)", header)}
    assert declared == {code.value for code in gpucal.Code}


def test_errors_have_codes(store, folder, h200, product, monkeypatch):
    def fails(code, function, *arguments, **named):
        with pytest.raises(gpucal.Error) as caught:
            function(*arguments, **named)
        assert caught.value.code == code
        return str(caught.value)

    assert "calibrated nodes: node17, own, vm" in fails(gpucal.Code.NODE, store.device, "n1")
    assert "more than one" in fails(gpucal.Code.DEVICE, store.device, "node17")
    fails(gpucal.Code.DEVICE, store.device_at, "vm", "3b:00.0")
    fails(gpucal.Code.STORE, gpucal.Store, folder / "none")
    fails(gpucal.Code.MODEL, h200.bind, product, "none")
    fails(gpucal.Code.PROFILE, gpucal.Profile.parse, "a: [")
    assert "kernel.cl:1:" in fails(
        gpucal.Code.SOURCE, gpucal.count, "__kernel void f(", local=[64], work_items=["n"]
    )
    monkeypatch.delenv("GPUCAL_STORE", raising=False)
    assert "GPUCAL_STORE" in fails(gpucal.Code.STORE, gpucal.Store)


# ---- stores and devices ----


def test_lists_nodes_and_devices(store):
    assert store.nodes() == ["node17", "own", "vm"]
    assert store.uids("node17") == ["uuid:0b6f", "uuid:7713"]
    assert [(d.node, d.uid) for d in store.devices()][:2] == [
        ("node17", "uuid:0b6f"),
        ("node17", "uuid:7713"),
    ]
    assert len(store.devices("vm")) == 1


def test_describes_devices(store, h200):
    assert (h200.name, h200.kind, h200.sub_group_size) == ("NVIDIA H200", "gpu", 32)
    assert h200.models == ["general", "transfer", "sweeps"]
    assert h200.driver == "580.159.04" and h200.pci == "0000:00:06.0"
    assert h200.calibrated == datetime.datetime(
        2026, 11, 27, 11, 2, 6, tzinfo=datetime.timezone.utc
    )
    assert abs(
        h200.calibrated + h200.age - datetime.datetime.now(datetime.timezone.utc)
    ) < datetime.timedelta(seconds=5)
    assert store.device_at("vm", "GPU-E5C71BC1-a1b7-9624-766d-46280ecf822b").uid == h200.uid
    assert h200.reload() is None


def test_reads_a_file_that_was_replaced(folder, store):
    old = store.device("node17", "uuid:0b6f")
    path = folder / "nodes" / "node17.yaml"
    changed = folder / "nodes" / "new"
    changed.write_text(path.read_text().replace('driver: "580.17"', 'driver: "581.00"'))
    changed.replace(path)
    fresh = old.reload()
    assert fresh is not None and fresh.driver == "581.00" and old.driver == "580.17"
    assert fresh.reload() is None


def test_has_parameters_and_facts(store, h200):
    costs = store.device("node17", "uuid:7713").parameters("matmul")
    assert list(costs) == ["p_madd", "p_launch"]
    assert costs["p_madd"].value == pytest.approx(0.9875 * 2.571e-12, rel=1e-12)
    assert costs["p_madd"].unit == "s"
    facts = h200.facts()
    assert facts["rate_dram"].text == "memory" and facts["rate_dram"].unit == "B/s"
    assert facts["rate_dram"].value == pytest.approx(32 / h200.parameters()["p_dram"].value)
    assert math.isnan(facts["spilled_bytes"].standard_error)


# ---- predictions ----


def test_predicts_as_by_hand(model):
    assert model.name == "matmul" and model.sizes == ("n",)
    p = model.predict(n=2048)
    assert p.time_s == pytest.approx(time_of(2048), rel=1e-12)
    assert p.low_s < p.time_s < p.high_s and not p.extrapolates
    assert model.predict(n=20).outside == "f_op_float32_madd"


def test_predicts_arrays(model):
    n = np.array([[64, 512, 700], [1024, 2048, 1e5]])
    all_of_them = model.predict_array(n=n)
    assert all_of_them.time_s.shape == n.shape
    np.testing.assert_allclose(all_of_them.time_s, time_of(n), rtol=1e-12)
    for i, size in np.ndenumerate(n):
        one = model.predict(n=size)
        for name, value in vars(one).items():
            assert getattr(all_of_them, name)[i] == value
    assert all_of_them.extrapolates.any() and not all_of_them.extrapolates.all()
    frame = all_of_them.to_frame()
    assert list(frame["n"]) == list(n.ravel()) and len(frame.columns) == 13
    assert model.predict_array(n=512).time_s.shape == ()
    assert model.predict_array(n=[]).time_s.shape == (0,)


def test_broadcasts_sizes(h200):
    source = "__kernel void f(__global float *x, int n) { x[get_global_id(1) * n] = 1; }"
    model = h200.bind(gpucal.count(source, local=[64, 1], work_items=["n", "m"], device=h200))
    both = model.predict_array(n=[[64.0], [128.0]], m=[64.0, 256.0, 1024.0])
    assert both.time_s.shape == (2, 3)
    assert both.time_s[1, 2] == model.predict(m=1024, n=128).time_s
    assert both.sizes["n"].shape == (2, 3)


def test_refuses_sizes_by_name(model):
    for sizes in ({}, {"m": 1}, {"n": 1, "m": 1}):
        with pytest.raises(gpucal.Error, match="the kernel has the sizes n"):
            model.predict(**sizes)
    with pytest.raises(gpucal.Error, match=r"row 1 \(n = nan\)") as caught:
        model.predict_array(n=[512, math.nan])
    assert caught.value.code == gpucal.Code.SIZES


def test_observes(store, saxpy, tmp_path):
    shutil.copytree(store.path, tmp_path / "store")
    device = gpucal.Store(tmp_path / "store").device("vm")
    launch = device.bind(saxpy._profile).at(n=2**20)
    p = launch.predict()
    assert 1 < p.pays_after < 20
    assert [launch.observe(1.1 * p.time_s) for _ in range(4)] == [False, True, True, True]
    assert len(list((tmp_path / "store" / "observed").iterdir())) == 1
    with pytest.raises(gpucal.Error, match="a time of -1 s"):
        launch.observe(-1)


def test_predicts_in_threads(model):
    wrong = []

    def predict():
        for n in range(64, 2000, 7):
            if model.predict(n=n).time_s != pytest.approx(time_of(n), rel=1e-12):
                wrong.append(n)

    threads = [threading.Thread(target=predict) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_agrees_with_the_command(saxpy, tmp_path):
    (tmp_path / "saxpy.cl").write_text(SAXPY)
    printed = subprocess.run(
        [
            "gpucal",
            "predict",
            tmp_path / "saxpy.cl",
            "--local=256",
            "--global=n",
            "--at=n=16777216",
            "--params",
            DATA / "general" / "h200.yaml",
            "--json",
        ],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    expected, found = json.loads(printed), saxpy.predict(n=2**24)
    for name in ("time_s", "low_s", "high_s", "standard_error_s"):
        assert getattr(found, name) == pytest.approx(expected[name], rel=1e-12)
    assert found.roof == expected["bound_by"] == "dram"


# ---- choices ----


def test_ranks_and_compares(model, store, product):
    launches = [model.at(n=n) for n in (2048, 512, math.nan, 1024)]
    ranked = gpucal.rank(launches)
    assert [r.launch for r in ranked] == [launches[i] for i in (1, 3, 0, 2)]
    assert ranked[0].faster == 0.5 and 0 <= ranked[2].faster < ranked[1].faster < 0.5
    assert math.isinf(ranked[3].time_s) and math.isnan(ranked[3].faster)
    ratio = gpucal.compare(launches[1], launches[3])
    assert ratio.ratio == pytest.approx(time_of(512) / time_of(1024), rel=1e-12)
    assert ratio.low < ratio.ratio < ratio.high and ratio.faster > 0.5
    assert ranked[1].faster == pytest.approx(1 - ratio.faster)
    with pytest.raises(gpucal.Error, match="no variant"):
        gpucal.rank([])
    near = [model.at(n=n) for n in (512, 512.5, 513)]
    chances = [gpucal.fastest(near, i) for i in range(3)]
    assert sum(chances) == pytest.approx(1, abs=0.005) and chances[0] > chances[1] > chances[2] > 0
    assert gpucal.fastest(launches, 1) == pytest.approx(1, abs=1e-6)  # NaN does not count
    assert gpucal.fastest(near[:2]) == pytest.approx(gpucal.compare(*near[:2]).faster, abs=0.002)
    with pytest.raises(gpucal.Error, match="no variant 3 of 3"):
        gpucal.fastest(near, 3)


def test_splits(store, product):
    models = [device.bind(product, "matmul") for device in store.devices("node17")]
    shares = [gpucal.Share(m.at(n=4096), "n") for m in models]
    division = gpucal.split(shares, 4096, 64)
    assert [part.units for part in division.parts] == [2048, 2048]
    assert division.makespan_s == pytest.approx(time_of(2048, 2.571e-12, 0.9875), rel=0.1)
    longest_s = max(part.time_s for part in division.parts)
    assert longest_s < division.makespan_s < 1.05 * longest_s  # both may be late
    slow = replace(shares[0], measured_units=2048, measured_s=3 * division.parts[0].time_s)
    again = gpucal.split([slow, shares[1]], 4096, 64).parts
    assert again[0].units < 1600 and again[0].units + again[1].units == 4096
    with pytest.raises(gpucal.Error, match="share 0: 0 units were measured to take 1 s"):
        gpucal.split([replace(shares[0], measured_s=1)], 4096)
    with pytest.raises(gpucal.Error, match="granularity 0"):
        gpucal.split(shares, 4096, 0)
    with pytest.raises(gpucal.Error, match="no size 'rows'"):
        gpucal.split([gpucal.Share(models[0].at(n=1), "rows")], 10)


def test_adds_copies(h200, saxpy):
    share = gpucal.Share(saxpy.at(n=1), "n").with_copies(in_bytes=8, memory="pageable")
    costs = h200.parameters("transfer")
    assert share.start_s == pytest.approx(costs["p_copy_to_device_pageable"].value)
    assert share.transfer_s == pytest.approx(8 * costs["p_byte_to_device_pageable"].value)
    copied = h200.transfer(1e6, "to_device", "pageable")
    assert copied.time_s == pytest.approx(share.start_s + 1e6 / 8 * share.transfer_s)
    with pytest.raises(ValueError, match="'sideways': must be one of to_device, from_device, both"):
        h200.transfer(1e6, "sideways")
    with pytest.raises(ValueError, match="'virtual': must be one of pageable, pinned, mapped"):
        h200.transfer(1e6, memory="virtual")
    assert copied.roof == ""


def test_messages_between_nodes(store):
    sent = store.link("vm", "n2", 2**20)
    assert sent.time_s == pytest.approx(1.043 * (9.1e-6 + (2**20 - 2**16) * 8.1e-11))
    assert sent.low_s < sent.time_s < sent.high_s and not sent.extrapolates
    assert store.link("vm", "n3", 2**20).time_s > 5 * sent.time_s
    with pytest.raises(gpucal.Error, match="links from node n2 are not measured"):
        store.link("n2", "vm", 1)


# ---- counting ----


def test_counts_cuda(tmp_path):
    path = tmp_path / "scale.cu"
    path.write_text(
        "template <class T> __global__ void scale(T *x, T by, int n)\n"
        "{ int i = blockIdx.x*blockDim.x + threadIdx.x; if (i < n) x[i] *= by; }\n"
    )
    profile = gpucal.count(path, kernel="scale<double>", local=[256], work_items=["n"])
    assert "f_mem_access_global_float64_store" in profile.text


def test_counts_files_and_loops(tmp_path):
    (tmp_path / "row.h").write_text("#define ROW get_global_id(0)\n")
    path = tmp_path / "sum.cl"
    path.write_text(
        '#include "row.h"\n__kernel void other(__global float *x) {}\n'
        "__kernel void sum(__global const int *first, __global float *y) {\n"
        "float s = 0;\nfor (int i = first[ROW]; i < first[ROW + 1]; i++) s += y[i];\n"
        "y[ROW] = s * SCALE; }\n"
    )
    options = dict(local=[64], work_items=["rows"], kernel="sum", build_options="-DSCALE=2")
    profile = gpucal.count(path, trips={5: "per_row"}, assume="rows >= 64", **options)
    assert set(profile.sizes) == {"rows", "per_row"}
    with pytest.raises(gpucal.Error, match="sum.cl:5:"):
        gpucal.count(path, **options)
    (tmp_path / "sum.yaml").write_text(profile.text)
    for again in gpucal.Profile.parse(profile.text), gpucal.Profile.read(tmp_path / "sum.yaml"):
        assert again.sizes == profile.sizes and again.text == profile.text
    with pytest.raises(ValueError):
        gpucal.count(path, local=[64, 1], work_items=["rows"])


def test_texts_are_not_cut_at_a_null(store):
    with pytest.raises(ValueError, match="null"):
        store.device("node17\0x")
    with pytest.raises(ValueError, match="null"):
        gpucal.count(SAXPY + "\0", local=[64], work_items=["n"])
