"""The C libraries, by cffi: declarations come from the headers that are installed beside."""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cffi import FFI

_HERE = Path(__file__).resolve().parent
_HEADERS = ("gpucal.h", "gpucal_count.h")

# Any: neither FFI nor what it loads has types.
ffi: Any = FFI()


def _declarations(name: str) -> str:
    """The header without what is for a preprocessor."""
    text = (_HERE / name).read_text(encoding="utf-8").replace("\\\n", " ")
    text = re.sub(r"#ifdef __cplusplus.*?#endif", "", text, flags=re.DOTALL)
    return re.sub(r"^#.*$", "", text, flags=re.MULTILINE)


for _name in _HEADERS:
    ffi.cdef(_declarations(_name))


@functools.cache
def _load(name: str) -> Any:
    """That of a wheel, else that of the system."""
    bundled = _HERE / "lib" / name
    try:
        return ffi.dlopen(os.fspath(bundled) if bundled.exists() else name)
    except OSError as reason:
        raise ImportError(
            f"gpucal needs {name}: install libgpucal, or set LD_LIBRARY_PATH to its folder "
            f"({reason})"
        ) from reason


lib = _load("libgpucal.so.1")


def count_library() -> Any:
    """libgpucal-count, loaded when it is first needed.  ImportError: it is not installed."""
    return _load("libgpucal-count.so.1")


def text(pointer: Any) -> str:
    """A C string as text; "" for NULL."""
    raw: bytes = ffi.string(pointer) if pointer else b""
    return raw.decode("utf-8", "replace")


def raw(value: str | os.PathLike[str] | None) -> Any:
    """A C string that lives as long as the result; NULL for None.  ValueError: it has a NUL."""
    if value is None:
        return ffi.NULL
    encoded = os.fsencode(value)
    if b"\0" in encoded:
        raise ValueError("embedded null character")
    return ffi.new("char[]", encoded)


def constant(what: str, name: str, names: Sequence[str]) -> int:
    """The number of one of an enumeration's names.  ValueError: it is none of them."""
    if name not in names:
        raise ValueError(f"{what} {name!r}: must be one of {', '.join(names)}")
    return int(getattr(lib, f"GPUCAL_{name.upper()}"))
