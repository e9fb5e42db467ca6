#!/bin/bash
# seeds.sh SCRIPT BUILD: a table and a figure of scripts/seeds.sh on the CPU, from
# measuring to drawing.  77: no gnuplot.
set -eu
command -v gnuplot > /dev/null || exit 77
out=$(mktemp -d)
trap 'rm -r "$out"' EXIT
export BUILD=$2 DEVICE=cpu

"$1" measure "$out" minplus banks > "$out/log"
cat "$out/log"
grep '^not all' "$out/log" && exit 1
"$1" draw "$out"
grep -E '^\| V4 \| 137 ms \| 78% \| [0-9.]+ ms ' "$out/tables.md"
grep -A 2 'Highest rates' "$out/tables.md" | grep '^Not measured'
grep -c '<path' "$out/plots/seed001_6_14.svg"
