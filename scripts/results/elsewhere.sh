#!/bin/bash
# elsewhere.sh - kernels that one type of device has taught, predicted on another:
#   scripts/results/elsewhere.sh GPUCAL FROM TO SET..
# FROM, TO: h100, h200.  SET: scope, varied, unseen (folders of tests/), papers.  All times and parameters
# are recorded (tests/data/general); no device is needed.  A line for each band of measured times: of
# the general model, and of what FROM's times of the same kernels have taught.
set -eu
gpucal=$(realpath "$1") from=$2 to=$3
shift 3
cd "$(dirname "$0")/../.."
data=$PWD/tests/data/general work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$gpucal" store init --store "$work/store" > "$work/log"
for gpu in "$from" "$to"; do
    sed "s/^node: .*/node: $gpu/" "$data/$gpu.yaml" > "$work/store/nodes/$gpu.yaml"
done
echo "| set, measured time on the ${to^^} | launches | model | median | by time | typical factor | inside | high / low |"
echo "|---|---|---|---|---|---|---|---|"
for set in "$@"; do
    folder=()
    [ ! -d "tests/$set" ] || folder=(-C "tests/$set")
    "$gpucal" learn --times "$data/$set-$from.csv" "${folder[@]}" --store "$work/store" --node "$from" -q > "$work/log"
    for model in general known; do
        named=()
        [ $model = known ] || named=(--model general)
        "$gpucal" evaluate --times "$data/$set-$to.csv" "${folder[@]}" --store "$work/store" --node "$to" \
            "${named[@]}" --csv "$work/$model.csv" > "$work/log"
        awk -F, -v set="$set" -v model="$model" -v from="${from^^}" '
            NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
            $1 == "band" && $2 == "" {
                band = $at["band"]
                gsub(/_/, " ", band)
                printf "| %s, %s | %d | %s | %.1f %% | %.0f %% | %.2f | %.0f %% | %.2f |\n", set, band, $at["kernels"],
                    model == "known" ? "known on the " from : "general", $at["median_percent"], $at["time_percent"],
                    $at["factor"], 100 * $at["inside"] / $at["kernels"], $at["width"]
            }' "$work/$model.csv"
    done
done
