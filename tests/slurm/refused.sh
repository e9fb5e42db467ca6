#!/bin/bash
# A node that is being calibrated is not calibrated a second time: the second run names the first
# one, and disturbs neither that run nor the store.
# shellcheck source=tests/slurm/lib.sh
. "$(dirname "$0")/lib.sh"

calibrate before n0 short || fail "exit status $?"
published=$(list_published)

calibrate first n0 long --budget 15 &
first=$!
wait_for 60 ': measuring' first.err
calibrate second n0 short
status=$?
[ $status = 5 ] || fail "the second run's exit status is $status"
grep -q 'node n0 is being calibrated by ' second.err || fail "no line names node and run"
[ "$(list_published)" = "$published" ] || fail "what is published has changed"
kill -0 $first 2> /dev/null || fail "the first run ended too early to tell"
wait $first || fail "the first run's exit status is $?"
run=$(sed -n 's/^gpucal: run \([^:]*\): .*/\1/p' first.out)
grep -q "node n0 is being calibrated by $run: " second.err || fail "another run is named"
[ -s "store/history/n0/$run.yaml" ] || fail "the first run is not published"
