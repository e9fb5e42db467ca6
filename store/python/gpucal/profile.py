"""Profiles: the work of a kernel as a function of its sizes."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ._library import count_library, ffi, lib, raw, text
from .errors import Check
from .store import Device


class Profile:
    """A kernel's counts, from :meth:`read`, :meth:`parse` or :func:`count`.

    ``sizes`` are the names of its sizes, ``text`` is the profile as a file has it.
    """

    def __init__(self, pointer: Any, content: str) -> None:
        self._profile = ffi.gc(pointer, lib.gpucal_profile_close)
        self.text = content
        self.sizes: tuple[str, ...] = tuple(
            text(lib.gpucal_profile_parameter(pointer, i))
            for i in range(lib.gpucal_profile_parameter_count(pointer))
        )

    def __repr__(self) -> str:
        return f"<Profile of sizes {', '.join(self.sizes) or 'none'}>"

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Profile:
        """From a file that ``gpucal count -o`` wrote."""
        check = Check()
        pointer = check(lib.gpucal_profile_open(raw(path), check.struct))
        return cls(pointer, Path(path).read_text(encoding="utf-8"))

    @classmethod
    def parse(cls, content: str, name: str = "profile") -> Profile:
        """From the ``text`` of another; ``name`` is the file in messages."""
        check = Check()
        encoded = content.encode()
        pointer = lib.gpucal_profile_parse(encoded, len(encoded), raw(name), check.struct)
        return cls(check(pointer), content)


def count(
    source: str | os.PathLike[str],
    *,
    local: Sequence[int],
    work_items: Sequence[str | int],
    kernel: str | None = None,
    device: Device | None = None,
    build_options: str | None = None,
    assume: str | None = None,
    include: Sequence[str | os.PathLike[str]] = (),
    trips: Mapping[int, str] | None = None,
    allow_estimates: bool = False,
) -> Profile:
    """Counts the work of a kernel in OpenCL C, CUDA or HIP, by libgpucal-count.

    ``source`` is the text, in OpenCL C, or a ``Path`` of it, in CUDA or HIP if it ends in ``.cu``,
    ``.cuh`` or ``.hip``.  ``local``: work-items of a work-group in each dimension (0: the kernel's
    reqd_work_group_size).  ``work_items``: all of them, as expressions in the kernel's arguments,
    such as ``["n/4", "m"]``.  ``kernel`` None: the only one.  ``trips``: of loops whose length
    depends on data, by line, the name of the size that is their average number of trips.  Other
    arguments are as of ``gpucal count``.

    With a ``device``, the result has what its general model needs, and fits devices with the
    same sub-group size.  Takes 30 to 100 ms.  :class:`Error` with ``Code.SOURCE`` names the place
    of what cannot be counted.
    """
    library = count_library()
    request = ffi.new("struct gpucal_count_request *")
    keep: list[Any] = []  # what 'request' points to

    def keep_text(value: str | os.PathLike[str] | None) -> Any:
        keep.append(raw(value))
        return keep[-1]

    if len(local) != len(work_items):
        raise ValueError(f"local has {len(local)} dimensions and work_items {len(work_items)}")
    if isinstance(source, Path):
        request.file = keep_text(source)
    else:
        request.source = keep_text(source)
    request.kernel = keep_text(kernel)
    request.build_options = keep_text(build_options)
    request.assume = keep_text(assume)
    request.allow_estimates = allow_estimates
    request.n_dims = len(work_items)
    for i in range(min(len(work_items), 3)):
        request.local_size[i] = local[i]
        request.global_size[i] = keep_text(str(work_items[i]))
    keep.append(ffi.new("const char *[]", [keep_text(folder) for folder in include]))
    request.include_folders, request.n_include_folders = keep[-1], len(include)
    loops = [(line, keep_text(size)) for line, size in (trips or {}).items()]
    keep.append(ffi.new("struct gpucal_count_trips[]", loops))
    request.trips, request.n_trips = keep[-1], len(loops)

    check = Check()
    pointer = check(
        library.gpucal_count_text(
            request, ffi.NULL if device is None else device._device, check.struct
        )
    )
    counted = text(pointer)
    library.gpucal_count_free(pointer)
    return Profile.parse(counted, os.fspath(source) if isinstance(source, Path) else "kernel.cl")
