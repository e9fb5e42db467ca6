#!/bin/bash
# offsets.sh - loads that begin within a sector are never predicted to be faster than those that begin with one
#
#   offsets.sh GPUCAL SOURCE
set -euo pipefail
gpucal=$1 source=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

for device in h100 h200; do
    for type in float double; do
        first=
        for offset in 0 1 2 3 4 5 6 7 8; do
            echo "kernel void move(global $type *y, global const $type *x)
                  { int i = get_global_id(0); y[i] = x[i + $offset]; }" > "$folder/move.cl"
            time=$("$gpucal" predict -P "$source/tests/data/general/$device.yaml" -m general -l 256 -g n \
                --at n=16777216 --json "$folder/move.cl" |
                sed -n 's/.*"\(predicted_\)\?time_s": *\([0-9.e+-]*\).*/\2/p' | head -1)
            first=${first:-$time}
            awk -v a="$first" -v b="$time" 'BEGIN { exit !(a > 0 && b >= a * (1 - 1e-9)) }' || {
                echo "$device, $type: x[i + $offset] takes $time s, x[i] $first s"
                exit 1
            }
        done
    done
done
