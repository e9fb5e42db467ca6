#!/bin/bash
# cuda.sh OUT.csv - CUDA kernels of tests/cuda, predicted by the calibration of this machine's GPU, which knows
# OpenCL kernels alone, and timed through CUDA and NVRTC.
#
# The device is calibrated in $GPUCAL_STORE; gpucal is in $PATH.  Takes some five minutes; a line
# for each launch: kernel, sizes, times in seconds.  What is refused is said on stderr.
set -eu
[ $# = 1 ] || { sed -n '2,/^set -eu/s/^# \{0,1\}//p' "$0" && exit 1; }
source=$(cd "$(dirname "$0")/../../tests/cuda" && pwd)

field() { # NAME: of a prediction, or of the first of a list
    sed -n "s/^ *\"$1\": \([0-9.e+-]*\),\?\$/\1/p" | head -n 1
}

echo kernel,sizes,measured_s,general_s,low_s,high_s > "$1"
while IFS='|' read -r file kernel block grid points options; do
    read -r file <<< "$file"
    read -r kernel <<< "$kernel"
    for at in $points; do
        predicted=$(gpucal predict "$source/$file" -k "$kernel" --block "${block// /}" --grid "${grid// /}" \
            --at "$at" $options --measure --model general --json 2> /tmp/cuda.err) || {
            echo "$kernel $at: $(tail -n 1 /tmp/cuda.err)" >&2
            continue
        }
        line="\"$kernel\",${at//,/ }"
        for name in measured_s time_s low_s high_s; do line+=,$(field "$name" <<< "$predicted"); done
        echo "$line" >> "$1"
    done
done < <(grep -v '^#' "$source/LAUNCHES")
