#!/bin/bash
# busy-gpu.sh: what a GPU that another program keeps busy does to the other GPUs of its host.
# Calibrates all of them undisturbed, then again while matrix products run on the second one,
# and prints times of the calibrations, warnings, and a matrix product of n = 4096 and 1536 as
# each GPU is predicted by both.
#
#   scripts/busy-gpu.sh OUT
#
# For NVIDIA GPUs, at least two.  BUILD is the build folder (default: build).  Records, stores
# and outputs are kept in OUT, which must not exist.
set -u
top=$(cd "$(dirname "$0")/.." && pwd)
gpucal=${BUILD:-$top/build}/mpi/gpucal
product=(matmul_sq dtype:float32 prefetch:True)

case ${1:-} in
-h | --help | '') sed -n '2,/^set -u/s/^# \{0,1\}//p' "$0" && exit 0 ;;
esac
out=$1
mkdir "$out" && mkdir "$out/alone" "$out/busy" || exit 1

calibrate() { # NAME
    local began=$EPOCHREALTIME
    "$gpucal" --device gpu --store "$out/$1" --record "$out/$1.h5" > "$out/$1.txt" 2>&1
    awk -v name="$1" -v from="$began" -v to="$EPOCHREALTIME" \
        'BEGIN { printf "%s: calibrated in %.1f s\n", name, to - from }'
    grep 'warning: model' "$out/$1.txt"
}

keep_busy() {
    while [ ! -e "$out/enough" ]; do
        CUDA_VISIBLE_DEVICES=1 "$gpucal" kernels "${product[@]}" n:1024,2048,4096 --run \
            --device gpu
    done > "$out/load.txt" 2>&1
}

predict() { # NAME UID N
    local tags=() tag
    for tag in "${product[@]}" "n:$3"; do tags+=(--tag "$tag"); done
    "$gpucal" predict "${tags[@]}" --params "$out/$1"/nodes/*.yaml --model general \
        --device "$2" | sed "s/^/$1, n = $3: /"
}

calibrate alone
keep_busy &
keep_busy &
sleep 3
calibrate busy
touch "$out/enough"
wait
sed -n 's/^- uid: //p' "$out"/alone/nodes/*.yaml | while read -r uid; do
    for n in 4096 1536; do
        for name in alone busy; do predict "$name" "$uid" "$n"; done
    done
done
