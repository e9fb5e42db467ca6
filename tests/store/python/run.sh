#!/bin/bash
# Checks the types of the Python package by mypy, and runs pytest on the one in the build folder.
#   run.sh PYTHON SOURCE PROGRAM LIBGPUCAL LIBGPUCAL_COUNT PACKAGE (folders)
set -eu
python=$1 source=$2
export PATH=$3:$PATH LD_LIBRARY_PATH=$4:$5 PYTHONPATH=$6 PYTHONDONTWRITEBYTECODE=1

missing=$("$python" - cffi numpy pandas h5py pytest mypy <<'END'
import importlib.util, sys
print(*(name for name in sys.argv[1:] if importlib.util.find_spec(name) is None))
END
)
[ -z "$missing" ] || { echo "$python has no $missing: scripts/install-deps.sh --test"; exit 77; }

"$python" -m pytest -q -p no:cacheprovider --rootdir "$source/tests/store/python" \
    "$source/tests/store/python"

cd "$source/store/python"
"$python" -m mypy --config-file pyproject.toml --cache-dir /dev/null
