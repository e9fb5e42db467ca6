"""A store with two devices of known parameters, an H200 and a device with models of target kernels."""

import shutil
from pathlib import Path

import pytest

import gpucal

DATA = Path(__file__).resolve().parents[2] / "data"

SAXPY = """
__kernel void saxpy(__global const float *x, __global float *y, float a, int n)
{
    int i = get_global_id(0);
    if (i < n)
        y[i] = a * x[i] + y[i];
}
"""


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("store")
    path.chmod(0o755)
    (path / "nodes").mkdir(mode=0o755)
    shutil.copyfile(DATA / "node17.yaml", path / "nodes" / "node17.yaml")
    made = (DATA / "stevens-kloeckner" / "h100.yaml").read_text().replace("node: vm", "node: own", 1)
    made = made.replace(" known\n", " target\n")
    (path / "nodes" / "own.yaml").write_text(made)
    shutil.copyfile(DATA / "general" / "h200.yaml", path / "nodes" / "vm.yaml")
    (path / "links").mkdir(mode=0o755)
    shutil.copyfile(DATA / "links.yaml", path / "links" / "vm.yaml")
    return path


@pytest.fixture(scope="session")
def store(folder):
    return gpucal.Store(folder)


@pytest.fixture(scope="session")
def product():
    """3 n^2 multiply-adds per sub-group of 32, and a launch."""
    return gpucal.Profile.read(DATA / "mm.profile.yaml")


@pytest.fixture(scope="session")
def model(store, product):
    return store.device("node17", "uuid:0b6f").bind(product, "matmul")


@pytest.fixture(scope="session")
def h200(store):
    return store.device("vm")


@pytest.fixture(scope="session")
def saxpy(h200):
    return h200.bind(gpucal.count(SAXPY, local=[256], work_items=["n"], device=h200))
