#!/usr/bin/env bash
# try-wheel.sh OUT PROGRAM: builds a wheel of the Python package in OUT, installs it with all optional
# packages in a new virtual environment there, and tests it: pytest, and mypy with the newest
# releases.  PROGRAM: a built gpucal, which some tests run.  Takes some minutes, and downloads from
# the configured package index.
set -eu
out=$(realpath -m "$1") program=$(realpath "$2")
source=$(realpath "$(dirname "$0")/../..")

python3 -m venv "$out/environment"
python=$out/environment/bin/python
"$python" -m pip -q wheel --no-deps -w "$out" "$source/store/python"
"$python" -m pip -q install pytest mypy "$(ls "$out"/gpucal-*.whl)[parquet]"
cd "$out"
unset LD_LIBRARY_PATH PYTHONPATH
PATH=$(dirname "$program"):$PATH "$python" -m pytest -q -p no:cacheprovider "$source/tests/store/python"
cd "$source/store/python"
"$python" -m mypy --config-file pyproject.toml --cache-dir /dev/null
