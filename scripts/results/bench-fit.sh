#!/bin/bash
# bench-fit.sh: times the fit of the default configuration to the recorded GPUs of
# tests/data/general, reading of the record included.
#
#   scripts/results/bench-fit.sh [GPUCAL [RUNS]]
#
# Of each record the fastest of RUNS (5) fits: seconds of processors, and from start to end.
set -eu
export LC_ALL=C # numbers with points, words in English

source_dir=$(cd "$(dirname "$0")/../.." && pwd)
if [ "${1:-}" = -h ]; then
    sed -n '2,/^set -eu/s/^# \{0,1\}//p' "$0" | head -n -1
    exit 0
fi
gpucal=${1:-$source_dir/build/mpi/gpucal}
runs=${2:-5}
out=$(mktemp -d "${TMPDIR:-/tmp}/gpucal-bench.XXXXXX")
trap 'rm -rf "$out"' EXIT
export OCL_ICD_VENDORS=/nonexistent XDG_CACHE_HOME=$out
TIMEFORMAT='%U %S %R'

fit() { # DEVICE
    "$gpucal" fit --record "$source_dir/tests/data/general/$1.h5" \
        --config "$source_dir/models.yaml" --output "$out" > "$out/log" 2>&1
}

for device in h100 h200; do
    : > "$out/times"
    for _ in $(seq "$runs"); do
        { time fit "$device"; } 2>> "$out/times" || { cat "$out/log" >&2 && exit 1; }
    done
    awk -v device="$device" '
        NR == 1 || $1 + $2 < busy { busy = $1 + $2 }
        NR == 1 || $3 < wall { wall = $3 }
        END { printf "%s: %.2f s of processors, %.2f s from start to end\n", device, busy, wall }
    ' "$out/times"
done
