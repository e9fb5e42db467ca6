"""Choosing among kernels, comparing them, and dividing work over devices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, get_args

from ._library import constant, ffi, lib
from .errors import Check, Code, Error
from .model import Launch
from .store import Memory


@dataclass(frozen=True)
class Ranked:
    """A launch in the order of :func:`rank`."""

    launch: Launch
    time_s: float  # infinite: there is no prediction
    faster: float  # probability that it is faster than the first (0.5: the first); NaN: not covered
    is_covered: bool  # the model has a cost for all of its work


def _variants(launches: Sequence[Launch]) -> tuple[Any, list[Any]]:
    """The structs of the library, and their sizes, which must live as long."""
    variants = ffi.new("struct gpucal_variant[]", len(launches))
    rows = [ffi.new("double[]", launch._row()) for launch in launches]
    for variant, launch, row in zip(variants, launches, rows):
        variant.model, variant.sizes = launch.model._model, row
    return variants, rows


def rank(launches: Sequence[Launch]) -> list[Ranked]:
    """Launches by predicted time, the fastest first; those with work without a cost follow all
    others, and those without a prediction come last.
    """
    check = Check()
    variants, _rows = _variants(launches)
    order = ffi.new("size_t[]", len(launches))
    check(lib.gpucal_rank(variants, len(launches), order, check.struct))
    return [
        Ranked(launches[i], variants[i].time_s, variants[i].faster, bool(variants[i].is_covered))
        for i in order
    ]


def fastest(launches: Sequence[Launch], which: int = 0) -> float:
    """The probability that a launch takes less time than all others; NaN: it is not covered."""
    check = Check()
    variants, _rows = _variants(launches)
    probability = ffi.new("double *")
    check(lib.gpucal_fastest(variants, len(launches), which, probability, check.struct))
    return float(probability[0])


@dataclass(frozen=True)
class Ratio:
    """How two predictions compare."""

    ratio: float  # time of the first / time of the second
    low: float  # 90 % interval
    high: float
    correlation: float  # of the errors of the logarithms of both times
    faster: float  # probability that the first takes less time; NaN: either is not covered


def compare(a: Launch, b: Launch) -> Ratio:
    """The ratio of two times, whose errors are correlated as far as they come from the same
    parameters and the same device.
    """
    check = Check()
    ratio = ffi.new("struct gpucal_ratio *")
    rows = [ffi.new("double[]", launch._row()) for launch in (a, b)]
    check(lib.gpucal_compare(a.model._model, rows[0], b.model._model, rows[1], ratio, check.struct))
    return Ratio(ratio.ratio, ratio.low, ratio.high, ratio.correlation, ratio.faster)


@dataclass(frozen=True)
class Share:
    """A device that takes part in :func:`split`: with ``u`` units it ends after
    ``start_s + transfer_s * u`` plus the time of ``launch`` with the size ``unit`` set to
    ``size_per_unit * u``; where ``measured_units`` were measured to take ``measured_s``, that
    time is corrected by it.
    """

    launch: Launch
    unit: str
    size_per_unit: float = 1
    start_s: float = 0  # once, e.g. the latency of a copy
    transfer_s: float = 0  # for each unit
    least: float = 0  # units
    most: float = 0  # units; 0: no limit
    measured_units: float = 0  # 0: not measured
    measured_s: float = 0  # copies included

    def with_copies(
        self, in_bytes: float = 0, out_bytes: float = 0, memory: Memory = "pinned"
    ) -> Share:
        """The share with ``start_s`` and ``transfer_s`` of copies of so many bytes per unit to the
        device and back, by its model of transfers.
        """
        check = Check()
        share = ffi.new("struct gpucal_share *")
        check(
            lib.gpucal_share_transfers(
                share,
                self.launch.model.device._device,
                constant("memory", memory, get_args(Memory)),
                in_bytes,
                out_bytes,
                check.struct,
            )
        )
        return replace(self, start_s=share.start_s, transfer_s=share.transfer_s)


@dataclass(frozen=True)
class Part:
    """What a share gets."""

    share: Share
    units: float
    time_s: float
    low_s: float  # 90 % interval
    high_s: float
    not_covered: float
    extrapolates: bool


@dataclass(frozen=True)
class Division:
    """Divided work: ``parts`` in the order of the shares."""

    makespan_s: float  # the expected time until the last share ends
    parts: tuple[Part, ...]


def split(shares: Sequence[Share], units: float, granularity: float = 1) -> Division:
    """Divides ``units`` of work in multiples of ``granularity`` for the shortest expected time until
    the last share ends: a device whose time is less certain gets less.
    """
    check = Check()
    structs = ffi.new("struct gpucal_share[]", len(shares))
    rows = [ffi.new("double[]", share.launch._row()) for share in shares]
    makespan = ffi.new("double *")
    for struct, share, row in zip(structs, shares, rows):
        names = share.launch.model.sizes
        if share.unit not in names:
            raise Error(f"the kernel has no size '{share.unit}': {', '.join(names)}", Code.SIZES)
        struct.model, struct.sizes = share.launch.model._model, row
        struct.unit, struct.size_per_unit = names.index(share.unit), share.size_per_unit
        struct.start_s, struct.transfer_s = share.start_s, share.transfer_s
        struct.least, struct.most = share.least, share.most
        struct.measured_units, struct.measured_s = share.measured_units, share.measured_s
    check(lib.gpucal_split(structs, len(shares), units, granularity, makespan, check.struct))
    return Division(
        makespan[0],
        tuple(
            Part(share, s.units, s.time_s, s.low_s, s.high_s, s.not_covered, bool(s.extrapolates))
            for share, s in zip(shares, structs)
        ),
    )
