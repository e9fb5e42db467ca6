#!/bin/bash
# A store of 200 nodes with 10 calibrations each, made and measured by store-scale.sh: the
# results that do not depend on the machine's speed.   test_scale.sh BUILD
set -eu
script=$(dirname "$(readlink -f "$0")")/../../../scripts/results/store-scale.sh

fail() { echo "FAILED: $*"; exit 1; }

value() { # NAME, of a line "NAME VALUE UNIT .."
    echo "$out" | sed -n "s/^$1  *\([0-9.]*\) .*/\1/p"
}

# On a loaded machine two medians may differ by chance: try again.
for _ in 1 2 3; do
    out=$("$script" -b "$1" 200 10) || fail "store-scale.sh: $out"
    ratio=$(awk -v small="$(value 'load, 10 nodes')" -v large="$(value 'load, 200 nodes')" \
        'BEGIN { print (small > 0 && large < 3 * small) ? "good" : large "/" small }')
    [ "$ratio" != good ] || break
done
[ "$ratio" = good ] || fail "loading a node depends on how many there are: $ratio ms"
# Every 50th of them is slower, and found.
echo "$out" | grep -q '^make, 200 nodes .* 4 drifted' || fail "what was made: $out"
echo "$out" | grep -q '^audit, 200 nodes, time .* exit status 3$' || fail "audit: $out"
echo "$out" | grep -q '^audit says: .* 0 warning, 4 failure' || fail "audit: $out"
echo "$out" | grep -q '^verify, 200 nodes, time .* exit status 0$' || fail "verify: $out"
