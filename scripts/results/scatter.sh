#!/bin/bash
# scatter.sh: a figure of predicted against measured times, with intervals, of all kernels.
#
#   scripts/results/scatter.sh EVALUATION.csv FIGURE.svg [MODEL [TITLE]]
#
# EVALUATION.csv is written by 'gpucal evaluate --csv'; kernels are coloured by the roof that
# binds them (or, of models without roofs, by application).  MODEL is one of the file, baselines
# included (default: the first); TITLE is by default the model and the device.
set -eu
export LC_ALL=C # numbers with points, words in English
top=$(cd "$(dirname "$0")/../.." && pwd)
plots=$top/scripts/results/plots

die() {
    echo "scatter.sh: $*" >&2
    exit 1
}

case ${1:-} in
-h | --help | '') sed -n '2,/^set -eu/s/^# \{0,1\}//p' "$0" && exit 0 ;;
esac
[ $# -ge 2 ] || die "expected EVALUATION.csv and FIGURE.svg (see --help)"
csv=$1 figure=$2 model=${3:-}
[ -s "$csv" ] || die "$csv: no such file, or empty"
command -v gnuplot > /dev/null || die "gnuplot not found (package gnuplot-nox)"
data=$(mktemp)
trap 'rm -f "$data"' EXIT

awk -v model="$model" -f "$plots/columns.awk" -f "$plots/scatter.awk" FS=, "$csv" > "$data"
[ -s "$data" ] || die "$csv has no kernel that ${model:-a model} predicted"
[ -n "$model" ] || model=$(awk -F , '$1 == "kernel" { print $2; exit }' "$csv")
device=$(awk -F , '
    FNR == 1 { for (i = 1; i <= NF; i++) if ($i == "device") at = i }
    $1 == "kernel" { gsub(/"/, "", $at); print $at; exit }' "$csv")
DATA=$data FIGURE=$figure TITLE=${4:-$model, $device} gnuplot "$plots/scatter.gp"
