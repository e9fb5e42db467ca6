#!/bin/bash
# A rank that is killed in mid-run costs its own node: the other one is published, and
# the last line and the record name the lost one.
# shellcheck source=tests/slurm/lib.sh
. "$(dirname "$0")/lib.sh"

calibrate run 2 --budget 15 &
wait_for 60 'n1 .*: measuring' run.err
victim=$(rank_of n1)
[ -n "$victim" ] || fail "no rank found on n1"
kill -KILL "$victim"
wait $! && fail "srun tells of no failure"

[ -s store/nodes/n0.yaml ] || fail "the surviving node is not published"
[ ! -e store/nodes/n1.yaml ] || fail "the lost node is published"
tail -n 1 run.out | grep -q '1 node published, lost: n1 rank 1' ||
    fail "the last line does not name the lost node"
"$gpucal" fit --record run.h5 > fit.out 2>&1 || fail "the record cannot be fitted again"
grep -q 'n1' fit.out || fail "the record does not name the lost node"
[ -z "$(rank_of n0)$(rank_of n1)" ] || fail "a rank is left behind"
