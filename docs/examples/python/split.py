#!/usr/bin/env python3
"""Divides work over the devices of some nodes by predictions of libgpucal.

    split.py STORE PROFILE SIZE[,SIZE..] UNIT UNITS GRANULARITY NODE..

The kernel of PROFILE runs with these sizes, except for the one named UNIT, of which UNITS are
divided in multiples of GRANULARITY.  Requires only Python and libgpucal.so.1.
"""
import ctypes
import sys
from ctypes import POINTER, Structure, byref, c_char, c_char_p, c_double, c_int, c_size_t, c_void_p


class Error(Structure):
    _fields_ = [("code", c_int), ("text", c_char * 1000)]


class Prediction(Structure):
    _fields_ = [
        ("time_s", c_double),
        ("standard_error_s", c_double),
        ("low_s", c_double),
        ("high_s", c_double),
        ("not_covered", c_double),
        ("gap", c_char_p),
        ("extrapolates", c_int),
        ("outside", c_char_p),
        ("outside_by", c_double),
        ("roof", c_char_p),
        ("roof_s", c_double),
    ]


class Share(Structure):
    _fields_ = [
        ("model", c_void_p),
        ("sizes", POINTER(c_double)),
        ("unit", c_size_t),
        ("size_per_unit", c_double),
        ("start_s", c_double),
        ("transfer_s", c_double),
        ("least", c_double),
        ("most", c_double),
        ("units", c_double),
        ("time_s", c_double),
        ("low_s", c_double),
        ("high_s", c_double),
        ("not_covered", c_double),
        ("extrapolates", c_int),
    ]


def load():
    """The library with the types of the functions that are used here."""
    lib = ctypes.CDLL("libgpucal.so.1")
    err = POINTER(Error)
    for name, result, arguments in [
        ("store_open", c_void_p, [c_char_p, err]),
        ("store_close", None, [c_void_p]),
        ("node_devices", c_void_p, [c_void_p, c_char_p, err]),
        ("list_count", c_size_t, [c_void_p]),
        ("list_item", c_char_p, [c_void_p, c_size_t]),
        ("list_close", None, [c_void_p]),
        ("device_open", c_void_p, [c_void_p, c_char_p, c_char_p, err]),
        ("device_close", None, [c_void_p]),
        ("profile_open", c_void_p, [c_char_p, err]),
        ("profile_close", None, [c_void_p]),
        ("profile_parameter_count", c_size_t, [c_void_p]),
        ("profile_parameter", c_char_p, [c_void_p, c_size_t]),
        ("model_bind", c_void_p, [c_void_p, c_char_p, c_void_p, err]),
        ("model_close", None, [c_void_p]),
        ("predict_batch", c_int,
         [c_void_p, POINTER(c_double), c_size_t, POINTER(Prediction), err]),
        ("split", c_int,
         [POINTER(Share), c_size_t, c_double, c_double, POINTER(c_double), err]),
    ]:
        function = getattr(lib, "gpucal_" + name)
        function.restype, function.argtypes = result, arguments
    return lib


def good(result, err):
    """The result of a call that may fail with None or -1."""
    if result is None or result == -1:
        sys.exit("split.py: " + err.text.decode())
    return result


def bind_all(lib, store, profile, nodes, err):
    """(node, uid, model) of every device of the nodes."""
    bound = []
    for node in nodes:
        uids = good(lib.gpucal_node_devices(store, node.encode(), byref(err)), err)
        for i in range(lib.gpucal_list_count(uids)):
            uid = lib.gpucal_list_item(uids, i)
            device = good(lib.gpucal_device_open(store, node.encode(), uid, byref(err)), err)
            model = good(lib.gpucal_model_bind(device, None, profile, byref(err)), err)
            lib.gpucal_device_close(device)
            bound.append((node, uid.decode(), model))
        lib.gpucal_list_close(uids)
    return bound


def print_predictions(lib, bound, sizes, unit, units, err):
    """Prints the predicted times of parts of the work: one call per device."""
    parts = [units / 8, units / 4, units / 2, units]
    n = len(sizes)
    rows = (c_double * (n * len(parts)))(*(sizes * len(parts)))
    predictions = (Prediction * len(parts))()
    for i, part in enumerate(parts):
        rows[i * n + unit] = part
    for node, uid, model in bound:
        good(lib.gpucal_predict_batch(model, rows, len(parts), predictions, byref(err)), err)
        print(node, uid, *(f"{part:g}: {p.time_s:.6e} s" for part, p in zip(parts, predictions)),
              sep="  ")


def main():
    if len(sys.argv) < 8:
        sys.exit(__doc__)
    path, profile_path, texts, name, units, granularity = sys.argv[1:7]
    sizes = [float(text) for text in texts.split(",")]
    units, granularity = float(units), float(granularity)
    err = Error()
    lib = load()
    store = good(lib.gpucal_store_open(path.encode(), byref(err)), err)
    profile = good(lib.gpucal_profile_open(profile_path.encode(), byref(err)), err)
    names = [lib.gpucal_profile_parameter(profile, i).decode()
             for i in range(lib.gpucal_profile_parameter_count(profile))]
    if len(sizes) != len(names) or name not in names:
        sys.exit(f"split.py: the sizes of the kernel are {', '.join(names)}")
    unit = names.index(name)
    bound = bind_all(lib, store, profile, sys.argv[7:], err)
    lib.gpucal_profile_close(profile)
    lib.gpucal_store_close(store)

    print_predictions(lib, bound, sizes, unit, units, err)
    row = (c_double * len(sizes))(*sizes)
    shares = (Share * len(bound))()
    for share, (_, _, model) in zip(shares, bound):
        share.model, share.sizes, share.unit, share.size_per_unit = model, row, unit, 1
    makespan_s = c_double()
    good(lib.gpucal_split(shares, len(shares), units, granularity, byref(makespan_s),
                          byref(err)), err)
    for share, (node, uid, model) in zip(shares, bound):
        print(f"{node} {uid} {share.units:g} {share.time_s:.6e}")
        lib.gpucal_model_close(model)
    print(f"makespan: {makespan_s.value:.6e}")


if __name__ == "__main__":
    main()
