#!/bin/bash
# busy-gpu.sh: what a GPU that another program keeps busy does to the other GPUs of its host.
# Calibrates all of them undisturbed, then again while matrix products run on the second one,
# and prints times of the calibrations, warnings, and a matrix product as each GPU is predicted
# by both: those of the others must agree within 1 %.
#
#   scripts/results/busy-gpu.sh OUT [STORE]
#
# For at least two GPUs; with DEVICE=cpu, for devices of PoCL (POCL_DEVICES="pthread pthread"), by a
# short configuration.  STORE is one of an undisturbed calibration, instead of making it.  BUILD is
# the build folder (default: build).  Records, stores and outputs are kept in OUT, which must not
# exist.  Exit status 1 if another device than the second is disturbed.
set -u
export LC_ALL=C # numbers with points, words in English
top=$(cd "$(dirname "$0")/../.." && pwd)
gpucal=${BUILD:-$top/build}/mpi/gpucal

case ${1:-} in
-h | --help | '') sed -n '2,/^set -u/s/^# \{0,1\}//p' "$0" && exit 0 ;;
esac
out=$1 alone=${2:-$1/alone}
mkdir "$out" && mkdir "$out/busy" || exit 1
# shellcheck source=scripts/results/device.sh
. "$top/scripts/results/device.sh"
choose_product

calibrate() { # NAME
    local began=$EPOCHREALTIME
    "$gpucal" calibrate "${configuration[@]}" --device "$kinds" --store "$out/$1" \
        --record "$out/$1.h5" > "$out/$1.txt" 2>&1
    awk -v name="$1" -v from="$began" -v to="$EPOCHREALTIME" \
        'BEGIN { printf "%s: calibrated in %.1f s\n", name, to - from }'
    grep -E '^gpucal: .*warning' "$out/$1.txt" | sed "s/^/$1: /"
}

keep_busy() { # UID
    while [ ! -e "$out/enough" ]; do
        "$gpucal" kernels "${load[@]}" --run --device "$1"
    done > "$out/load.txt" 2>&1
}

# The ratio of both predictions for each device.
compare() {
    local n=0 status=0 uid ratio
    for uid in "${uids[@]}"; do
        n=$((n + 1))
        ratio=$(predict_s "$out/busy" "$uid" | awk -v alone="$(predict_s "$alone" "$uid")" \
            'alone > 0 && $1 > 0 { printf "%.4f", $1 / alone }')
        echo "device $n ($uid): predicted beside the load over alone: ${ratio:-not published}"
        [ $n = 2 ] || awk -v r="${ratio:-0}" 'BEGIN { exit !(r > 0.99 && r < 1.01) }' || status=1
    done
    return $status
}

if [ $# = 1 ]; then
    mkdir "$alone" && calibrate alone
fi
mapfile -t uids < <(published_uids "$alone")
[ ${#uids[@]} -gt 1 ] || { echo "busy-gpu.sh: fewer than two devices are published" >&2 && exit 1; }
keep_busy "${uids[1]}" &
keep_busy "${uids[1]}" &
sleep 3
calibrate busy
touch "$out/enough"
wait
compare
