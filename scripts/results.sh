#!/usr/bin/env bash
# results.sh - makes the figures of docs/results.md on this machine: one default
# calibration of every OpenCL device here, then predictions of kernels that were not
# measured beside their measured times, and the cost of a prediction.
#
#   scripts/results.sh [OUT]      OUT: a folder for record, store and tables (default: results)
#
# Needs a build in build/ (scripts/build.sh); BUILD names another one.
set -euo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
build=${BUILD:-$top/build}
out=${1:-results}
gpucal=$build/mpi/gpucal

mkdir -p "$out/store"
export GPUCAL_STORE=$out/store

echo "== devices"
"$gpucal" devices | tee "$out/devices.txt"

echo "== calibration"
start=$(date +%s.%N)
"$gpucal" --config "$top/models.yaml" --record "$out/record.h5" 2>&1 | tee "$out/calibration.txt" || true
awk -v a="$start" -v b="$(date +%s.%N)" 'BEGIN { printf "calibration took %.1f s\n", b - a }' |
    tee -a "$out/calibration.txt"
ls -l "$out/record.h5"

echo "== predictions of kernels that were not measured"
node=$(hostname -s)
sed -n 's/^ *type: *//p' "$out/store/nodes/$node.yaml" | sort -u > "$out/types.txt" || true
while read -r type; do
    for kernel in matmul_tiled matmul_plain; do
        for n in ${SIZES:-320 448 704 1408 2816 5632}; do
            for model in ${MODELS:-matmul matmul_tiled}; do
                echo "-- $type $kernel n:$n, model $model"
                "$gpucal" predict --device "$type" --model "$model" --tag "$kernel" \
                    --tag "n:$n" --measure || true
            done
        done
    done
done < "$out/types.txt" 2>&1 | tee "$out/predictions.txt"

echo "== cost of a prediction"
for i in 1 2 3 4 5; do
    start=$(date +%s%N)
    "$gpucal" predict --device "$(head -n 1 "$out/types.txt")" --model "${MODELS:-matmul_tiled}" \
        --tag matmul_tiled --tag n:1024 > /dev/null || true
    echo "gpucal predict: $(($(date +%s%N) - start)) ns"
done | tee "$out/latency.txt"
[ ! -x "$build/tests/store/bench_predict" ] || "$build/tests/store/bench_predict" | tee -a "$out/latency.txt"
