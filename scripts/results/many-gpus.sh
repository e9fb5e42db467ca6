#!/bin/bash
# many-gpus.sh: calibrates the GPUs of one host in several ways and compares them: by one rank for
# all, by one rank for each, one after the other; predictions on each GPU beside measured times; a
# matrix product divided over all GPUs and the CPU; and one GPU kept busy by others.
#
#   scripts/results/many-gpus.sh OUT
#
# About 8 minutes for 2 to 8 GPUs, for which the first calibration needs half a minute at once, and one
# after the other half a minute each.  With DEVICE=cpu, for devices of PoCL
# (POCL_DEVICES="pthread pthread"), by a short configuration.  BUILD is the build folder (default: build)
# with the targets gpucal and balance.  Stores, records and outputs are kept in OUT, which must not
# exist; OUT/result.tar.gz has all but records.
set -u
export LC_ALL=C # numbers with points, words in English
top=$(cd "$(dirname "$0")/../.." && pwd)
gpucal=${BUILD:-$top/build}/mpi/gpucal

die() {
    echo "many-gpus.sh: $*" >&2
    exit 1
}

case ${1:-} in
-h | --help | '') sed -n '2,/^set -u/s/^# \{0,1\}//p' "$0" && exit 0 ;;
esac
out=$1
mkdir "$out" || exit 1
out=$(cd "$out" && pwd)
[ -x "$gpucal" ] || die "$gpucal not found: run scripts/build.sh, or set BUILD to the build folder"
# shellcheck source=scripts/results/device.sh
. "$top/scripts/results/device.sh"
choose_product
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

# ---- calibrating ----

count_devices() {
    "$gpucal" devices --json > "$out/devices.json" || die "gpucal devices failed"
    grep -c "\"device_type\": \"$kinds\"" "$out/devices.json"
}

calibrate() { # NAME PATTERN LAUNCHER...: into the store NAME
    local name=$1 pattern=$2
    shift 2
    mkdir -p "$out/$name"
    "$@" "$gpucal" calibrate "${configuration[@]}" --device "$pattern" --store "$out/$name" \
        --record "$out/$name-${pattern//:/-}.h5" >> "$out/$name.txt" 2>&1 ||
        echo "$name: exit status $? (see $name.txt)"
}

one_by_one() {
    local uid
    for uid in "${uids[@]}"; do
        calibrate one-by-one "$uid"
    done
}

timed() { # NAME COMMAND...
    local name=$1 began=$EPOCHREALTIME
    shift
    "$@"
    awk -v name="$name" -v from="$began" -v to="$EPOCHREALTIME" \
        'BEGIN { printf "| %s | %.1f s |\n", name, to - from }'
}

# ---- comparing ----

# Devices of one store beside each other, as gpucal shows them.
show() { # STORE
    echo "$1:"
    "$gpucal" show --store "$out/$1" | sed 's/^/    /'
}

# Predictions by each store over the measured time.
print_predictions() {
    local uid store measured_s row
    echo "| device | measured | at once | by rank | one by one |"
    echo "|---|---|---|---|---|"
    for uid in "${uids[@]}"; do
        measured_s=$("$gpucal" predict "${product[@]}" --params "$out"/at-once/nodes/*.yaml \
            --device "$uid" --measure --json 2>> "$out/predict.log" |
            awk -F'[:,]' '/"measured_s"/ { print $2; exit }')
        row="| $uid | $(awk -v t="${measured_s:-0}" 'BEGIN { printf "%.4g ms", 1000 * t }') |"
        for store in at-once by-rank one-by-one; do
            row+=$(predict_s "$out/$store" "$uid" | awk -v t="${measured_s:-0}" \
                '{ printf " %+.1f %% |", (t > 0 ? 100 * ($1 / t - 1) : 0) }')
        done
        echo "$row"
    done
}

# ---- ----

compare_calibrations() {
    echo "## Calibrations of $n devices"
    echo
    echo "| way | time |"
    echo "|---|---|"
    timed "one rank for all" calibrate at-once "$kinds"
    mapfile -t uids < <(published_uids "$out/at-once")
    [ ${#uids[@]} = "$n" ] || die "${#uids[@]} of $n devices are published: see $out/at-once.txt"
    timed "one rank for each" calibrate by-rank "$kinds" \
        mpirun --oversubscribe --bind-to none -n "$n"
    timed "one after the other" one_by_one
    echo
    for store in at-once by-rank one-by-one; do
        show $store
        grep -E '^gpucal: .*warning: model' "$out/$store.txt"
    done
    for store in by-rank one-by-one; do
        "$gpucal" diff "$out"/at-once/nodes/*.yaml "$out/$store"/nodes/*.yaml > "$out/diff-$store.txt" 2>&1
        echo "at-once and $store: $(tail -n 1 "$out/diff-$store.txt")"
    done
}

divide() {
    local options=()
    [ "$kinds" != gpu ] || options=(--gpu)
    ROUNDS=${ROUNDS:-3} STEPS=${STEPS:-10} env -u POCL_DEVICES \
        "$top/scripts/results/balance.sh" "${options[@]}" "$out/balance"
}

main() {
    local n store uids=()
    n=$(count_devices)
    [ "${n:-0}" -gt 1 ] || die "this machine has fewer than two devices of kind $kinds"
    compare_calibrations
    printf '\n## Predictions of %s\n\n' "${product[*]}"
    print_predictions
    printf '\n## One device kept busy\n\n'
    DEVICE=$kinds "$top/scripts/results/busy-gpu.sh" "$out/kept-busy" "$out/at-once" || echo "others are disturbed"
    printf '\n## Rows of a matrix product, divided\n\n'
    divide
}

main | tee "$out/summary.md"
tar -C "$out" --exclude='*.h5' --exclude='result.tar.gz' -czf "$out.tar.gz" . &&
    mv "$out.tar.gz" "$out/result.tar.gz"
