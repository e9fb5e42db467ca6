"""Stores, and the calibrated devices in them."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any, Literal, get_args

from ._library import constant, ffi, lib, raw, text
from .errors import Check

if TYPE_CHECKING:
    from .model import Model, Prediction
    from .profile import Profile

Direction = Literal["to_device", "from_device", "both_directions"]
Memory = Literal["pageable", "pinned", "mapped"]


@dataclass(frozen=True)
class Quantity:
    """A number that the calibration found, in ``unit`` ("s", "B", "B/s", "FLOP/s", "op/s", "1").

    ``standard_error`` is in the same unit, NaN if unknown; ``text`` says what a fact is, and is
    empty for parameters.
    """

    name: str
    value: float
    standard_error: float
    unit: str
    text: str


def _list(pointer: Any) -> list[str]:
    names = [text(lib.gpucal_list_item(pointer, i)) for i in range(lib.gpucal_list_count(pointer))]
    lib.gpucal_list_close(pointer)
    return names


def _quantities(pointer: Any) -> dict[str, Quantity]:
    found = {}
    for i in range(lib.gpucal_quantities_count(pointer)):
        item = lib.gpucal_quantities_item(pointer, i)
        name = text(item.name)
        found[name] = Quantity(
            name, item.value, item.standard_error, text(item.unit), text(item.text)
        )
    lib.gpucal_quantities_close(pointer)
    return found


class Store:
    """A folder with published calibrations.

    ``path``: None for $GPUCAL_STORE.  ``trust``: a file with public keys; files that none of them
    has signed are refused.
    """

    def __init__(
        self,
        path: str | os.PathLike[str] | None = None,
        trust: str | os.PathLike[str] | None = None,
    ) -> None:
        check = Check()
        pointer = check(lib.gpucal_store_open(raw(path), check.struct))
        self._store = ffi.gc(pointer, lib.gpucal_store_close)
        self.path = os.fspath(path) if path is not None else os.environ["GPUCAL_STORE"]
        if trust is not None:
            check(lib.gpucal_store_trust(self._store, raw(trust), check.struct))

    def __repr__(self) -> str:
        return f"Store({self.path!r})"

    def nodes(self) -> list[str]:
        """The names of calibrated nodes, sorted."""
        check = Check()
        return _list(check(lib.gpucal_store_nodes(self._store, check.struct)))

    def uids(self, node: str) -> list[str]:
        """The uids of a node's devices, sorted."""
        check = Check()
        return _list(check(lib.gpucal_node_devices(self._store, raw(node), check.struct)))

    def _open(self, function: Callable[..., Any], node: str, what: str | None) -> Device:
        check = Check()
        return Device(self, check(function(self._store, raw(node), raw(what), check.struct)))

    def device(self, node: str, pattern: str | None = None) -> Device:
        """The device of a node whose uid, type, kind or name matches ``pattern`` (with ``*`` and
        ``?``; None: the only device).
        """
        return self._open(lib.gpucal_device_open, node, pattern)

    def device_at(self, node: str, address: str) -> Device:
        """The device of a node at a PCI address (``"0000:3b:00.0"``) or with a UUID (such as
        NVML's, ``"GPU-64dfe64c-..."``).
        """
        return self._open(lib.gpucal_device_open_at, node, address)

    def link(self, source: str, target: str, bytes: float) -> Prediction:
        """The time of a message of ``bytes`` bytes from one node to another, or within a node: half
        of a round trip by MPI, while other nodes are busy as well.
        """
        from .model import Prediction

        check = Check()
        prediction = ffi.new("struct gpucal_prediction *")
        check(
            lib.gpucal_link(
                self._store, raw(source), raw(target), bytes, prediction, check.struct
            )
        )
        return Prediction._of(prediction)

    def devices(self, node: str | None = None) -> list[Device]:
        """All devices of a node, or of all nodes."""
        nodes = self.nodes() if node is None else [node]
        return [self.device(name, uid) for name in nodes for uid in self.uids(name)]


class Device:
    """A calibrated device, as it was published when it was opened; see :meth:`reload`."""

    def __init__(self, store: Store, pointer: Any) -> None:
        self._store = store
        self._device = ffi.gc(pointer, lib.gpucal_device_close)
        self.node: str = text(lib.gpucal_device_node(pointer))
        self.uid: str = text(lib.gpucal_device_uid(pointer))
        self.name: str = text(lib.gpucal_device_name(pointer))
        self.type: str = text(lib.gpucal_device_type(pointer))
        self.kind: str = text(lib.gpucal_device_kind(pointer))  # "gpu", "cpu", ..
        self.driver: str = text(lib.gpucal_device_driver(pointer))
        self.pci: str = text(lib.gpucal_device_pci(pointer))  # "": unknown
        self.run: str = text(lib.gpucal_device_run(pointer))  # that calibrated it
        self.sub_group_size: int = lib.gpucal_device_sub_group_size(pointer)  # work-items
        self.models: list[str] = [
            text(lib.gpucal_device_model_name(pointer, i))
            for i in range(lib.gpucal_device_model_count(pointer))
        ]

    def __repr__(self) -> str:
        return f"<Device {self.name} ({self.uid}) of node {self.node}>"

    @property
    def calibrated(self) -> datetime | None:
        """When the latest run calibrated it; None: the file does not say."""
        utc = text(lib.gpucal_device_calibrated_utc(self._device))
        try:
            return datetime.strptime(utc, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=timezone.utc)
        except ValueError:
            return None

    @property
    def age(self) -> timedelta | None:
        """The time since then, by this host's clock."""
        when = self.calibrated
        return None if when is None else datetime.now(timezone.utc) - when

    def parameters(self, model: str | None = None) -> dict[str, Quantity]:
        """The parameters of a model (None: the general one).  Those in seconds are costs of one
        execution on this device.
        """
        check = Check()
        return _quantities(
            check(lib.gpucal_device_parameters(self._device, raw(model), check.struct))
        )

    def facts(self) -> dict[str, Quantity]:
        """Rates, latencies and capacities, as ``gpucal show --node`` prints them."""
        check = Check()
        return _quantities(check(lib.gpucal_device_facts(self._device, check.struct)))

    def reload(self) -> Device | None:
        """The device in its node's new file, if that was replaced; else None, in microseconds."""
        check = Check()
        fresh = ffi.new("struct gpucal_device **")
        replaced = check(
            lib.gpucal_device_reload(self._store._store, self._device, fresh, check.struct)
        )
        return Device(self._store, fresh[0]) if replaced else None

    def bind(self, profile: Profile, model: str | None = None) -> Model:
        """Binds a model's costs to a kernel's counts.  ``model`` None: the one that was made for
        this kernel, else the general one.  Takes milliseconds: bind once and keep the result.
        """
        from .model import Model

        return Model(self, profile, model)

    def transfer(
        self,
        bytes: float,
        direction: Direction = "to_device",
        memory: Memory = "pinned",
        copies: float = 1,
    ) -> Prediction:
        """The time of ``copies`` copies of ``bytes`` bytes in all between host and device."""
        from .model import Prediction

        check = Check()
        prediction = ffi.new("struct gpucal_prediction *")
        check(
            lib.gpucal_transfer(
                self._device,
                constant("direction", direction, get_args(Direction)),
                constant("memory", memory, get_args(Memory)),
                bytes,
                copies,
                prediction,
                check.struct,
            )
        )
        return Prediction._of(prediction)
