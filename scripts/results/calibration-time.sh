#!/bin/bash
# calibration-time.sh: how long the default calibration of this machine's GPUs takes, and on what: of the
# first one and of all at once, each with and without what drivers have built before.
#
#   scripts/results/calibration-time.sh OUT
#
# BUILD is the build folder (default: build), DEVICE a pattern of devices (gpu).  Records, stores and
# outputs are kept in OUT, which must not exist; so are the binaries of drivers.
set -u
export LC_ALL=C # numbers with points, words in English
top=$(cd "$(dirname "$0")/../.." && pwd)
gpucal=${BUILD:-$top/build}/mpi/gpucal
device=${DEVICE:-gpu}

case ${1:-} in
-h | --help | '') sed -n '2,/^set -u/s/^# \{0,1\}//p' "$0" && exit 0 ;;
esac
mkdir "$1" && out=$(cd "$1" && pwd) || exit 1
export GPUCAL_STORE XDG_CACHE_HOME=$out/cache TMPDIR=$out/drivers
unset CUDA_CACHE_PATH POCL_CACHE_DIR # drivers keep binaries in TMPDIR
mkdir "$XDG_CACHE_HOME" "$TMPDIR"

# The uids of the devices.
"$gpucal" devices --device "$device" --json > "$out/devices.json" || exit 1
mapfile -t uids < <(sed -n 's/^ *"uid": "\(.*\)",*$/\1/p' "$out/devices.json")

calibrate() { # NAME PATTERN
    local began=$EPOCHREALTIME
    GPUCAL_STORE=$out/$1.store
    mkdir -m 755 "$GPUCAL_STORE"
    "$gpucal" calibrate --device "$2" --record "$out/$1.h5" > "$out/$1.txt" 2>&1
    awk -v name="$1" -v status=$? -v from="$began" -v to="$EPOCHREALTIME" \
        'BEGIN { printf "%s: %.1f s, status %d\n", name, to - from, status }'
    grep -E ' kernels in .*preparing| were built ahead|^gpucal: (devices )?busy|disturbed' "$out/$1.txt" |
        sed 's/^gpucal: */    /'
}

calibrate one-cold "${uids[0]}"
calibrate one-warm "${uids[0]}"
if [ ${#uids[@]} -gt 1 ]; then
    rm -r "$TMPDIR"/*
    calibrate all-cold "$device"
    calibrate all-warm "$device"
fi
