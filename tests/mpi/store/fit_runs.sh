#!/bin/bash
# fit_runs.sh GPUCAL SOURCE - gpucal fit of several records: one fit, or an error that names them.
set -eu -o pipefail
gpucal=$1 data=$2/tests/data
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
export OCL_ICD_VENDORS=/nonexistent XDG_CACHE_HOME=/dev/null
cd "$work"

fail() {
    echo "FAILED: $*"
    cat out err
    exit 1
}

# A run and itself are that run: every device is there once, and that is said.
one=$data/two-gpus/record.h5
cp "$one" again.h5
mkdir alone both
"$gpucal" fit --record "$one" --output alone > out 2> err || fail "one record"
grep -v '^lost' out > table
"$gpucal" fit --record "$one" --record again.h5 --output both > out 2> err || fail "two records"
cmp alone/vm.yaml both/vm.yaml || fail "the file of a node is another one"
[ "$(grep -c 'counts, the older run' out)" = 2 ] || fail "the devices that count are not printed"
grep -v 'counts, the older run\|^lost' out | cmp - table || fail "another table"

# Other kernels or models: both files are named.
for other in h200/record.h5 general/h200.h5; do
    status=0
    "$gpucal" fit --record "$one" --record "$data/$other" > out 2> err || status=$?
    [ $status = 1 ] || fail "$other: status $status"
    grep -q "two-gpus/record.h5 and .*$other were measured by different" err ||
        fail "$other: the message does not name both"
done
