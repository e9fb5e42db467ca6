"""Predicts the times of OpenCL kernels from published calibrations, by libgpucal.

>>> store = gpucal.Store("/shared/gpucal")
>>> device = store.device("node17", "*h200*")
>>> profile = gpucal.count(source, local=[256], work_items=["n"], device=device)
>>> model = device.bind(profile)
>>> model.predict(n=2**20).time_s
>>> model.predict_array(n=2.0 ** np.arange(10, 27)).to_frame()

Times are in seconds.  Failures raise :class:`Error`, which has a :class:`Code`.  Objects may be
used by several threads, and are closed with their last reference.  ``gpucal.frames`` (pandas) has
a store's contents as DataFrames, and ``gpucal.record`` (pandas and h5py) reads records.
"""

from ._library import lib as _lib
from ._library import text as _text
from .choice import Division, Part, Ranked, Ratio, Share, compare, fastest, rank, split
from .errors import Code, Error
from .model import Launch, Model, Prediction, Predictions
from .profile import Profile, count
from .store import Device, Quantity, Store

#: The version of libgpucal.
__version__: str = _text(_lib.gpucal_version())

__all__ = [
    "Code",
    "Device",
    "Division",
    "Error",
    "Launch",
    "Model",
    "Part",
    "Prediction",
    "Predictions",
    "Profile",
    "Quantity",
    "Ranked",
    "Ratio",
    "Share",
    "Store",
    "compare",
    "count",
    "fastest",
    "rank",
    "split",
]
