#!/bin/bash
# A rank that is killed in mid-run costs its own node: the other one is published, the
# last line and the record name the lost one, and what holds for it stays as it was.
# shellcheck source=tests/slurm/lib.sh
. "$(dirname "$0")/lib.sh"

calibrate before n0,n1 short || fail "exit status $?"
cp -r store before

calibrate run n0,n1 long --budget 15 &
step=$!
wait_for 60 '^gpucal: n1 .*: measuring' run.err
victim=$(rank_of n1)
[ -n "$victim" ] || fail "no rank found on n1"
kill -KILL "$victim"
wait $step
status=$?
[ $status = 137 ] || [ $status = 5 ] || fail "srun's exit status is $status"
grep -q 'n0: task 0: Exited with exit code 5' run.err || fail "rank 0 did not exit with 5"

tail -n 1 run.out | grep -q ' 1 node published, lost: n1 rank 1;' ||
    fail "the last line does not name the lost node"
cmp -s store/nodes/n0.yaml before/nodes/n0.yaml && fail "the surviving node is not published"
cmp store/nodes/n1.yaml before/nodes/n1.yaml || fail "the lost node's file was touched"
diff -r store/history/n1 before/history/n1 || fail "the lost node's history was touched"
"$gpucal" fit --record run.h5 > fit.out 2>&1 || fail "the record cannot be fitted again"
grep -q 'n1 rank 1.*no message for' fit.out || fail "the record does not name the lost node"
[ -z "$(rank_of n0)$(rank_of n1)" ] || fail "a rank is left behind"
