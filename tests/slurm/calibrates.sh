#!/bin/bash
# Two nodes are measured, and each gets a parameter file that predicts.
# shellcheck source=tests/slurm/lib.sh
. "$(dirname "$0")/lib.sh"

calibrate run n0,n1 short || fail "exit status $?"
for node in n0 n1; do
    [ -s store/nodes/$node.yaml ] || fail "$node is not published"
    [ "$(find store/history/$node -name '*.yaml' | wc -l)" = 1 ] || fail "no history of $node"
    "$gpucal" predict --store store --node $node flops_add_pattern dtype:float32 \
        m:24 > predict.out 2>&1 || fail "$node's file does not predict"
    grep -q "on node $node: predicted [0-9.]* [mun]*s," predict.out || fail "no time for $node"
done
[ -n "$(ls store/types)" ] || fail "the device type is not published"
published=$(list_published)
calibrate again n0,n1 short --if-changed || fail "exit status $?"
grep -q '^gpucal: nothing to do: 2 devices unchanged, calibrated at most ' again.out ||
    fail "it is calibrated again although nothing changed"
[ "$(list_published)" = "$published" ] || fail "what is published has changed"
[ ! -e again.h5 ] && [ ! -e again.h5.journal ] || fail "a record is left"
tail -n 1 run.out | grep -q ' 2 devices, .* 2 nodes published, lost: none' ||
    fail "not the last line expected"
