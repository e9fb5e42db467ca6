#!/bin/bash
# papers.sh SCRIPT BUILD: measures and draws a table and a figure of scripts/results/papers.sh on the
# CPU.  Exit status 77: gnuplot is not installed.
set -eu
command -v gnuplot > /dev/null || exit 77
out=$(mktemp -d)
trap 'rm -r "$out"' EXIT
export BUILD=$2 DEVICE=cpu

"$1" measure "$out" minplus banks > "$out/log"
cat "$out/log"
grep '^failed or incomplete' "$out/log" && exit 1
"$1" draw "$out"
grep -E '^\| V4 \| 137 ms \| 78% \| [0-9.]+ ms ' "$out/tables.md"
grep -A 2 'Highest rates' "$out/tables.md" | grep '^Not measured'
grep -c '<path' "$out/plots/saremi_6_14.svg"
