#!/bin/bash
# launches.sh FOLDER OUT.csv - kernels of FOLDER (tests/cuda, tests/classes), predicted by the general model of this machine's GPU, and
# timed: those in CUDA through CUDA and NVRTC, by a calibration which knows OpenCL kernels alone.
#
# The device is calibrated in $GPUCAL_STORE; gpucal is in $PATH.  Takes 3 s for each launch; a line
# for each: kernel, sizes, times in seconds.  What is refused is said on stderr.
set -eu
[ $# = 2 ] || { sed -n '2,/^set -eu/s/^# \{0,1\}//p' "$0" && exit 1; }
source=$1 out=$2

field() { # NAME: of a prediction, or of the first of a list
    sed -n "s/^ *\"$1\": \([0-9.e+-]*\),\?\$/\1/p" | head -n 1
}

echo kernel,sizes,measured_s,general_s,low_s,high_s > "$out"
while IFS='|' read -r file kernel block grid points options; do
    read -r file <<< "$file"
    read -r kernel <<< "$kernel"
    for at in $points; do
        predicted=$(gpucal predict "$source/$file" -k "$kernel" --block "${block// /}" --grid "${grid// /}" \
            --at "$at" $options --measure --model general --json 2> "$out.err") || {
            echo "$kernel $at: $(grep '^gpucal: ' "$out.err" | tail -n 1)" >&2
            continue
        }
        line="\"$kernel\",${at//,/ }"
        for name in measured_s time_s low_s high_s; do line+=,$(field "$name" <<< "$predicted"); done
        echo "$line" >> "$out"
    done
done < <(grep -v '^#' "$source/LAUNCHES")
rm -f "$out.err"
