#!/bin/bash
# evaluate.sh: measures the accuracy of the model 'general' for applications on this machine's device.
#
#   scripts/results/evaluate.sh measure OUT [STEP]...   calibrates, measures and predicts: records
#                                               and CSV files in OUT
#   scripts/results/evaluate.sh draw OUT                OUT/tables.md and OUT/plots/*.svg of them
#   scripts/results/evaluate.sh OUT                     both
#
# STEP is clpeak, calibration (of CONFIG) or a group of kernels (below); default: all steps.
# Measuring needs bash and awk; drawing also needs gnuplot.  clpeak is run if it is in PATH or
# named by CLPEAK, for its rates beside those implied by the parameters.  DEVICE selects the
# device by name (with * and ?) or by kind (default: the first GPU, else the first device);
# BUILD is the build folder (default: build), CONFIG the configuration (default: the built-in one).
# A step that fails is reported and the others continue.
set -u
export LC_ALL=C # numbers with points, words in English
top=$(cd "$(dirname "$0")/../.." && pwd)
plots=$top/scripts/results/plots
gpucal=${BUILD:-$top/build}/mpi/gpucal

die() {
    echo "evaluate.sh: $*" >&2
    exit 1
}

# shellcheck source=scripts/results/device.sh
. "$top/scripts/results/device.sh"
# shellcheck source=scripts/results/measure-draw.sh
. "$top/scripts/results/measure-draw.sh"

# Sizes are none of those that calibrations measure: small launches, multiples of whole cache
# lines and others.
# The groups of kernels: name, size on the x axis of the figure, logarithmic axes, and tags, with
# sizes for a large GPU and for others.
each_group() { # COMMAND [ARGUMENT]...: calls it with each group after its own arguments
    "$@" matmul n xy matmul_sq dtype:float32 \
        "n:$(size 160,272,448,736,1104,1648,2064,2560,3600,4400,5120,6400,7680 160,320,400,448,640,896)"
    "$@" dg nelements xy dg_diff dtype:float32 \
        "nelements:$(size 1600,6400,25600,80000,196608,250000,600000,1572864,3145728 800,1536,3072,6144)"
    "$@" stencil n xy finite_diff dtype:float32 \
        "n:$(size 784,1456,2464,4032,4592,7056,9968,12096,16128 560,1008,2016,4032)"
    "$@" minplus n xy min_plus dtype:float32 \
        "n:$(size 150,300,600,1100,1500,2560,3000,3040,3584,4500,5120 150,192,320)"
    "$@" increment M xy increment dtype:float32 \
        "M:$(size 100000,2000000,30000000,201326592,402653184,805306368 100000,3145728)"
    "$@" dense M xy dense dtype:float32 \
        "M:$(size 8000,120000,500000,1572864,3145728,6291456 8000,49152)"
    "$@" dense2 M xy dense2 dtype:float32 \
        "M:$(size 8000,120000,500000,1572864,3145728,6291456 8000,49152)"
    "$@" blur M xy blur dtype:float32 \
        "M:$(size 300000,4000000,80000000,201326592,603979776 300000,3145728)"
    "$@" kmeans M xy kmeans dtype:float32 \
        "M:$(size 8000,120000,500000,2097152,8388608 8000,49152)"
    "$@" overlap m "" overlap_pattern dtype:float32 \
        "m:$(size 1,2,4,6,8,12,16,24,32,48,64 1,4,8,16)" \
        "nelements:$(size 67108864 1048576)"
}

# ---- measuring ----

is_wanted() { # STEP
    [ ${#wanted[@]} = 0 ] || [[ " ${wanted[*]} " == *" $1 "* ]]
}

# Runs gpucal with its output in a file; prints the time taken and the last line.
step() { # NAME ARGUMENT...
    local name=$1 began=$SECONDS good=
    "$gpucal" "${@:2}" > "$out/$name.txt" 2> "$out/$name.log" ||
        { failed+=("$name") && good="failed: $(tail -n 1 "$out/$name.log") "; }
    printf '%-12s %4d s  %s%s\n' "$name" $((SECONDS - began)) "$good" \
        "$(grep . "$out/$name.txt" | tail -n 1)"
}

calibrate() {
    is_wanted calibration || return 0
    mkdir -p "$out/store"
    rm -f "$out/calibration.h5" "$out/calibration.h5.journal"
    step calibration calibrate ${CONFIG:+--config "$CONFIG"} --device "$device" --store "$out/store" \
        --record "$out/calibration.h5"
    cp "$out"/store/nodes/*.yaml "$out/params.yaml" ||
        die "gpucal published nothing: see $out/calibration.log"
}

evaluate() { # NAME SIZE LOG TAG...
    ! is_wanted "$1" ||
        step "$1" evaluate --params "$out/params.yaml" --device "$device" --model general \
            --record "$out/$1.h5" --csv "$out/$1.csv" "${@:4}"
}

measure() {
    [ -x "$gpucal" ] || die "$gpucal not found: run scripts/build.sh, or set BUILD to the build folder"
    find_device
    echo "$device" > "$out/device"
    echo "$kind" > "$out/kind"
    echo "measuring $device, a $kind, in $out"
    ! is_wanted clpeak || measure_clpeak
    calibrate
    each_group evaluate
    echo "measured in $SECONDS s"
    [ ${#failed[@]} = 0 ] || echo "failed or incomplete: ${failed[*]}"
}

# ---- drawing ----

# Gnuplot data: a block per variant, in order of sizes.
figure() { # NAME SIZE LOG TAG...
    local name=$1 data=$out/plots/$1.dat
    [ -s "$out/$name.csv" ] || { echo "$name: no $name.csv" && return; }
    awk -v x="$2" -f "$plots/columns.awk" -f "$plots/evaluation.awk" FS=, "$out/$name.csv" \
        > "$data"
    if [ -s "$data" ]; then
        draw_one "$name" "$name: measured (points), predicted (lines) and its 90 % interval" \
            "$2" "$3" time
        draw_one "${name}_error" "$name: error of the prediction" "$2" "${3%y}" error
    else
        echo "$name: no data to draw"
    fi
    rm "$data"
}

draw_one() { # FILE TITLE XLABEL LOG time|error
    DATA=$data FIGURE=$out/plots/$1.svg TITLE="$2"$'\n'"$(cat "$out/device")" XLABEL=$3 \
        LOG=$4 WHAT=$5 gnuplot "$plots/evaluation.gp" || failed+=("$1")
}

csv_files() {
    local file
    for file in "$out"/*.csv; do
        [ ! -s "$file" ] || printf '%s\0' "$file"
    done
}

draw_tables() {
    local files=()
    mapfile -d '' files < <(csv_files)
    echo "## $(cat "$out/device")"
    echo
    echo "### Errors"
    echo
    awk -f "$plots/evaluation_table.awk" FS=, "${files[@]}"
    echo
    echo "### Rates implied by the parameters"
    echo
    touch "$out/clpeak.txt"
    awk -v device="$(cat "$out/device")" -f "$plots/rates.awk" "$out/clpeak.txt" "$out/params.yaml"
    echo
    echo "### Calibration"
    echo
    sed -n 's/^gpucal: run /run /p; s/^.*: chose /chose /p' "$out/calibration.txt" 2> /dev/null
}

draw_figures() {
    each_group figure
}

main "$@"
