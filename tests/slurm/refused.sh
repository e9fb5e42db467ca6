#!/bin/bash
# A node that is being calibrated is not calibrated a second time meanwhile, which is said
# in one line, and what was published stays as it was.
# shellcheck source=tests/slurm/lib.sh
. "$(dirname "$0")/lib.sh"

list_published() {
    find store/nodes store/types store/history -type f -exec sha256sum {} + | sort
}

calibrate before 1 || fail "exit status $?"
published=$(list_published)

calibrate first 1 --budget 60 &
first=$!
wait_for 60 ': measuring' first.err
calibrate second 1
status=$?
[ $status = 5 ] || fail "the second run's exit status is $status"
[ "$(grep -c 'gpucal' second.err)" = 1 ] || fail "more or less than one line"
grep -q 'n0' second.err || fail "the line does not name the node"
kill -0 $first 2> /dev/null || fail "the first run did not go on"
kill -TERM $first
wait $first
[ "$(list_published)" = "$published" ] || fail "what is published has changed"
