"""Failures of the library."""

from __future__ import annotations

import enum
from typing import Any

from ._library import ffi, text


class Code(enum.IntEnum):
    """What failed: ``enum gpucal_code`` of gpucal.h, described in libgpucal(3)."""

    INPUT = 0x001
    MEMORY = 0x101
    STORE = 0x201
    NODE = 0x301
    FILE = 0x401
    DEVICE = 0x501
    MODEL = 0x601
    PROFILE = 0x701
    SIZES = 0x801
    NOT_COVERED = 0x901
    UNCERTAIN = 0xA01
    LIMITS = 0xB01
    FRONT_END = 0xC01
    SOURCE = 0xD01
    CANNOT_RUN = 0xE01


class Error(Exception):
    """A call of the library failed; its text says what is wrong and what to do next.

    ``code`` is a :class:`Code`, or a number that is unknown to this version.
    """

    def __init__(self, message: str, code: int = Code.INPUT) -> None:
        super().__init__(message)
        self.code: int = Code(code) if code in Code.__members__.values() else code


class Check:
    """The error struct of one call: ``check = Check(); check(lib.f(.., check.struct))``."""

    def __init__(self) -> None:
        self.struct = ffi.new("struct gpucal_error *")

    def __call__(self, result: Any) -> Any:
        """The result, or Error if it is NULL or -1."""
        if result == ffi.NULL or (isinstance(result, int) and result == -1):
            raise Error(text(self.struct.text), self.struct.code)
        return result
