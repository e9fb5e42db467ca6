#!/bin/sh
# rates.sh RATES_AWK FOLDER - the multiply-adds and bytes per second that the published model
# 'rates' implies are within 3 % of what clpeak measured beside it.
set -eu
awk -v device="NVIDIA H200" -f "$1" "$2/clpeak.txt" "$2/vm.yaml" | tee /dev/stderr |
    awk -F '|' '$2 ~ /^ rates / { n++; share = $7 + 0; bad = bad || share < 97 || share > 103 }
        END { exit bad || n != 2 }'
