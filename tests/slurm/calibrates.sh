#!/bin/bash
# Two nodes are measured, and each gets a parameter file that predicts.
# shellcheck source=tests/slurm/lib.sh
. "$(dirname "$0")/lib.sh"

calibrate run 2 || fail "exit status $?"
for node in n0 n1; do
    [ -s store/nodes/$node.yaml ] || fail "$node is not published"
    [ "$(find store/history/$node -name '*.yaml' | wc -l)" = 1 ] || fail "no history of $node"
done
[ -n "$(ls store/types)" ] || fail "the device type is not published"
tail -n 1 run.out | grep -q '2 nodes published, lost: none' || fail "not the last line expected"
"$gpucal" predict --store store --node n1 --tag empty --tag wg:64 > predict.out 2>&1 ||
    fail "n1's file does not predict"
