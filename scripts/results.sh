#!/usr/bin/env bash
# results.sh: makes the figures of docs/results.md on this machine: a calibration of every
# OpenCL device with the default configuration and that of the applications, predictions of
# kernels that were not measured beside their measured times, and the cost of a prediction.
#
#   scripts/results.sh [OUT]      OUT: a folder for record, store and tables (default: results)
#
# Needs a build in build/ (scripts/build.sh); BUILD names another folder.
set -euo pipefail
export LC_ALL=C # numbers with points, words in English
top=$(cd "$(dirname "$0")/.." && pwd)
build=${BUILD:-$top/build}
gpucal=$build/mpi/gpucal

mkdir -p "${1:-results}/store"
out=$(cd "${1:-results}" && pwd)
cd "$top" # the record names the configuration as it is given
export GPUCAL_STORE=$out/store

echo "== devices"
"$gpucal" devices | tee "$out/devices.txt"

echo "== calibration"
for config in models.yaml docs/examples/applications.yaml; do
    name=$(basename "$config" .yaml)
    start=$(date +%s.%N)
    "$gpucal" --config "$config" --record "$out/$name.h5" 2>&1 | tee "$out/$name.txt" || true
    awk -v a="$start" -v b="$(date +%s.%N)" 'BEGIN { printf "calibration took %.1f s\n", b - a }' |
        tee -a "$out/$name.txt"
    ls -l "$out/$name.h5"
done

# Predicts a matrix product, and measures it if predicted to take less than 1 s.
compare() { # TYPE PREFETCH N MODEL
    local what=(--device "$1" --model "$4" matmul_sq "prefetch:$2" "n:$3")
    local predicted
    predicted=$("$gpucal" predict "${what[@]}" --json | sed -n 's/.*"time_s": \([^,]*\),*/\1/p')
    awk -v t="${predicted:-9}" 'BEGIN { exit !(t < 1) }' || return 0
    echo "-- $1, prefetch:$2 n:$3, model $4"
    "$gpucal" predict "${what[@]}" --measure || true
}

echo "== predictions of kernels that were not measured"
"$gpucal" show --json | sed -n 's/.*"type": "\([^"]*\)".*/\1/p' | sort -u > "$out/types.txt"
while read -r type; do
    for n in ${SIZES:-320 448 704 1408 2816 5632}; do
        compare "$type" True "$n" matmul_sq
        compare "$type" False "$n" matmul_sq
    done
done < "$out/types.txt" 2>&1 | tee "$out/predictions.txt"

echo "== cost of a prediction"
for _ in 1 2 3 4 5; do
    start=$(date +%s%N)
    "$gpucal" predict --device "$(head -n 1 "$out/types.txt")" --model matmul_sq \
        matmul_sq prefetch:True n:1024 > /dev/null
    echo "gpucal predict of a catalogue kernel: $(($(date +%s%N) - start)) ns"
done | tee "$out/latency.txt"
"$gpucal" count "$top/kernels/catalogue/matmul_tiled.cl" -D T=float -D TILE=16 --local 16,16 --global n,n \
    --assume 'n % 16 = 0 and n >= 16' -o "$out/profile.yaml" > "$out/counts.txt"
for _ in 1 2 3 4 5; do
    start=$(date +%s%N)
    "$gpucal" predict --device "$(head -n 1 "$out/types.txt")" --model matmul_sq \
        --profile "$out/profile.yaml" --at n=1024 > /dev/null
    echo "gpucal predict of a profile: $(($(date +%s%N) - start)) ns"
done | tee -a "$out/latency.txt"
[ ! -x "$build/tests/store/bench_predict" ] ||
    "$build/tests/store/bench_predict" "$out/store" matmul_sq "$out/profile.yaml" 1024 \
        "$(hostname -s)" 2>&1 | tee -a "$out/latency.txt"

echo "== cost of counting"
[ ! -x "$build/tests/kernels/bench_count" ] ||
    "$build/tests/kernels/bench_count" "$gpucal" 2>&1 | tee "$out/counting.txt"
