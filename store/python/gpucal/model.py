"""Bound models, and predictions by them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ._library import ffi, lib, raw, text
from .errors import Check, Code, Error

if TYPE_CHECKING:
    import pandas as pd

    from .profile import Profile
    from .store import Device

_NUMBERS = ("time_s", "standard_error_s", "low_s", "high_s", "not_covered", "outside_by", "roof_s", "pays_after")
_TEXTS = ("gap", "outside", "roof")


@dataclass(frozen=True)
class Prediction:
    """A predicted time in seconds, with its 90 % interval; described in libgpucal(3)."""

    time_s: float
    standard_error_s: float
    low_s: float
    high_s: float
    not_covered: float  # share of the work without a cost, 0 to 0.5: above 0, time_s lacks it
    gap: str  # the feature with most of that work; "": none
    extrapolates: bool  # some feature is outside of the calibrated range
    outside: str  # the feature that is farthest outside; "": none
    outside_by: float  # its ratio to the largest calibrated value, or below 1 to the smallest
    roof: str  # the limit of the device that binds the kernel; "": the model names none
    roof_s: float  # the time that this limit alone allows
    pays_after: float  # launches after which measuring one has paid; inf: it does not pay

    @classmethod
    def _of(cls, p: Any) -> Prediction:
        members: dict[str, Any] = {name: getattr(p, name) for name in _NUMBERS}
        members |= {name: text(getattr(p, name)) for name in _TEXTS}
        return cls(extrapolates=bool(p.extrapolates), **members)


def _dtype() -> np.dtype[np.void]:
    """struct gpucal_prediction, with texts as addresses."""
    fields = dict(ffi.typeof("struct gpucal_prediction").fields)
    kinds: dict[str, Any] = {name: np.float64 for name in _NUMBERS}
    kinds |= {name: np.uintp for name in _TEXTS} | {"extrapolates": np.intc}
    return np.dtype(
        {
            "names": list(kinds),
            "formats": list(kinds.values()),
            "offsets": [fields[name].offset for name in kinds],
            "itemsize": ffi.sizeof("struct gpucal_prediction"),
        }
    )


def _texts(addresses: npt.NDArray[np.uintp]) -> npt.NDArray[np.object_]:
    known = {a: text(ffi.cast("const char *", int(a))) for a in np.unique(addresses)}
    return np.array([known[a] for a in addresses.ravel()], dtype=object).reshape(addresses.shape)


@dataclass(frozen=True)
class Predictions:
    """Predictions for arrays of sizes: the members of :class:`Prediction` as arrays of the shape
    that the sizes have together, and the ``sizes`` by name, broadcast to it.
    """

    sizes: dict[str, npt.NDArray[np.float64]]
    time_s: npt.NDArray[np.float64]
    standard_error_s: npt.NDArray[np.float64]
    low_s: npt.NDArray[np.float64]
    high_s: npt.NDArray[np.float64]
    not_covered: npt.NDArray[np.float64]
    gap: npt.NDArray[np.object_]
    extrapolates: npt.NDArray[np.bool_]
    outside: npt.NDArray[np.object_]
    outside_by: npt.NDArray[np.float64]
    roof: npt.NDArray[np.object_]
    roof_s: npt.NDArray[np.float64]
    pays_after: npt.NDArray[np.float64]

    def to_frame(self) -> pd.DataFrame:
        """A row for each prediction, with a column for each size and each member."""
        import pandas as pd

        columns = self.sizes | {k: v for k, v in vars(self).items() if k != "sizes"}
        return pd.DataFrame({name: np.ravel(values) for name, values in columns.items()})


@dataclass(frozen=True)
class Launch:
    """A bound model with sizes, from :meth:`Model.at`: what rank, compare and split work on."""

    model: Model
    sizes: Mapping[str, float]

    def predict(self) -> Prediction:
        """Its time."""
        check = Check()
        prediction = ffi.new("struct gpucal_prediction *")
        row = ffi.new("double[]", self._row())
        check(lib.gpucal_predict(self.model._model, row, prediction, check.struct))
        return Prediction._of(prediction)

    def refresh(self, measured_s: float) -> None:
        """Makes the model's cost of a launch what explains this measured time.

        See gpucal_refresh() in libgpucal(3); no other thread may use the model meanwhile.
        """
        check = Check()
        row = ffi.new("double[]", self._row())
        check(lib.gpucal_refresh(self.model._model, row, measured_s, check.struct))

    def observe(self, seconds: float) -> bool:
        """Tells the store of a time that the launch took; see gpucal_observe() in libgpucal(3).

        True when it was written, False when enough are known.
        """
        check = Check()
        row = ffi.new("double[]", self._row())
        device, profile = self.model.device._device, self.model._profile._profile
        return bool(check(lib.gpucal_observe(device, profile, row, seconds, check.struct)))

    def _row(self) -> list[float]:
        return [float(self.sizes[name]) for name in self.model.sizes]


class Model:
    """The costs of a device, bound to a kernel's counts by :meth:`Device.bind`.

    Predictions may be made by several threads at a time.
    """

    def __init__(self, device: Device, profile: Profile, name: str | None = None) -> None:
        check = Check()
        pointer = check(
            lib.gpucal_model_bind(device._device, raw(name), profile._profile, check.struct)
        )
        self._model: Any = ffi.gc(pointer, lib.gpucal_model_close)
        self.device: Device = device
        self._profile: Profile = profile
        self.name: str = text(lib.gpucal_model_name(pointer))
        self.sizes: tuple[str, ...] = profile.sizes

    def __repr__(self) -> str:
        return f"<Model {self.name} of {self.device!r}, sizes {', '.join(self.sizes) or 'none'}>"

    def _check_names(self, sizes: Mapping[str, Any]) -> None:
        if set(sizes) != set(self.sizes):
            raise Error(
                f"the kernel has the sizes {', '.join(self.sizes) or 'none'}, "
                f"but {', '.join(sizes) or 'none'} were given",
                Code.SIZES,
            )

    def at(self, **sizes: float) -> Launch:
        """The kernel with these sizes, each by its name."""
        self._check_names(sizes)
        return Launch(self, sizes)

    def predict(self, **sizes: float) -> Prediction:
        """The time of the kernel with these sizes: ``model.predict(n=1024)``."""
        return self.at(**sizes).predict()

    def predict_array(self, **sizes: npt.ArrayLike) -> Predictions:
        """The times for arrays of sizes, which are broadcast: one call of the library.

        :class:`Error` names the first sizes for which there is no prediction.
        """
        self._check_names(sizes)
        arrays = np.broadcast_arrays(
            *(np.asarray(sizes[name], dtype=np.float64) for name in self.sizes)
        )
        shape = arrays[0].shape if arrays else ()
        rows = np.ascontiguousarray(
            np.stack([a.ravel() for a in arrays], axis=-1) if arrays else np.zeros((1, 0))
        )
        out = np.zeros(len(rows), dtype=_dtype())
        check = Check()
        failed = lib.gpucal_predict_batch(
            self._model,
            ffi.from_buffer("double[]", rows),
            len(rows),
            ffi.cast("struct gpucal_prediction *", out.ctypes.data),
            check.struct,
        )
        if failed:
            self._raise_first(rows)
        columns: dict[str, Any] = {name: out[name].reshape(shape) for name in _NUMBERS}
        columns |= {name: _texts(out[name].reshape(shape)) for name in _TEXTS}
        columns["extrapolates"] = out["extrapolates"].reshape(shape) != 0
        return Predictions(sizes=dict(zip(self.sizes, arrays)), **columns)

    def _raise_first(self, rows: npt.NDArray[np.float64]) -> None:
        for i, row in enumerate(rows):
            sizes = dict(zip(self.sizes, row))
            try:
                self.predict(**sizes)
            except Error as reason:
                at = ", ".join(f"{name} = {value:g}" for name, value in sizes.items())
                raise Error(f"row {i} ({at}): {reason}", reason.code) from None
