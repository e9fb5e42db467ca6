#!/bin/bash
# diff.sh GPUCAL DATA - gpucal diff on files: what it prints, and its exit status.
set -eu
gpucal=$1 data=$2
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
cd "$out"
export OCL_ICD_VENDORS=/nonexistent

fail() { echo "diff.sh: $*" >&2; cat out >&2; exit 1; }
expect() { # STATUS ARGUMENT..
    local wanted=$1 status=0
    shift
    "$gpucal" diff "$@" > out 2>&1 || status=$?
    [ "$status" = "$wanted" ] || fail "diff $* gave $status, not $wanted"
}
says() { grep -qF -- "$1" out || fail "does not say '$1'"; }

# Parameters: a slowdown is a warning or a failure, a speedup is neither.
cost=$(sed -n 's/.*name: p_madd, value: \([^,]*\),.*/\1/p' "$data/node17-pnorm.yaml")
scaled() { # FACTOR
    sed "/name: p_madd/s/value: $cost/value: $(awk "BEGIN { print $cost * $1 }")/" \
        "$data/node17-pnorm.yaml" > "$1.yaml"
}
for factor in 1.08 1.4 0.6; do scaled $factor; done
expect 0 "$data/node17-pnorm.yaml" "$data/node17-pnorm.yaml"
says ': 0 of '
expect 2 "$data/node17-pnorm.yaml" 1.08.yaml
says 'slower   +8.00 %'
expect 3 "$data/node17-pnorm.yaml" 1.4.yaml
expect 0 "$data/node17-pnorm.yaml" 0.6.yaml
says 'faster  -40.00 %'
expect 0 --warn 10 "$data/node17-pnorm.yaml" 1.08.yaml
expect 3 --warn 1 --fail 2% "$data/node17-pnorm.yaml" 1.08.yaml
sed 's/driver: .*/driver: "999.9"/' 1.08.yaml > driver.yaml
expect 2 --json "$data/node17-pnorm.yaml" driver.yaml
jq -e '.exit_status == 2 and (.notes[0] | endswith("became 999.9"))
    and (.changes | length) == 1 and .changes[0].what == "slower"
    and .changes[0].parameter == "p_madd" and (.changes[0].change - 0.08 | fabs) < 1e-5' \
    out > /dev/null || fail "wrong JSON"
expect 0 --all --json "$data/node17-pnorm.yaml" "$data/node17-pnorm.yaml"
jq -e '(.changes | length) == .parameters and .differ == 0' out > /dev/null ||
    fail "--all leaves something out"

# Two records, and a record with its parameters.
expect 0 "$data/h200/record.h5" "$data/h200/record.h5"
! grep -q 'note:' out || fail "a note on equal conditions"
says 'global memory'
says '0 of 39 kernels differ'
expect 0 --json "$data/h200/record.h5" "$data/h200/record.h5"
jq -e '.compared == "records" and (.devices | length) == 2 and .exit_status == 0' out \
    > /dev/null || fail "wrong JSON of records"
expect 0 "$data/h200/record.h5" "$data/h200/vm.yaml"
says '2 devices compared: 0 of '

# Files that cannot be compared.
expect 1 "$data/h200/record.h5"
says 'expected two files'
expect 1 "$data/h200/record.h5" missing.h5
says 'missing.h5: No such file'
# The highest byte of a text's size in the heap, which ends libhdf5 1.10 by a signal, behind no checksum.
tail -c +513 "$data/h200/record.h5" > hurt.h5
at=$(LC_ALL=C grep -aboP '\x14\x00{7}202\d-' hurt.h5 | head -n 1 | cut -d: -f1)
[ -n "$at" ] || fail "no time in the heap of a record"
printf '\161' | dd of=hurt.h5 bs=1 seek=$((at + 7)) conv=notrunc 2> /dev/null
expect 1 hurt.h5 hurt.h5
says 'hurt.h5: '
mkfifo fifo
status=0
timeout 10 "$gpucal" diff fifo fifo > out 2>&1 || status=$?
[ $status = 1 ] || fail "diff of a FIFO gave $status"
says 'fifo: not a regular file'
expect 1 "$data/h200/record.h5" "$data/two-gpus/record.h5"
says 'no device in common'
expect 1 "$data/h200/vm.yaml" "$data/node17-pnorm.yaml"
says 'no device in common'
head -c 100000 "$data/h200/record.h5" > cut.h5
expect 1 cut.h5 "$data/h200/record.h5"
says 'truncated'
expect 1 --warn 5 --fail 2 "$data/node17-pnorm.yaml" 1.4.yaml
says '--warn 5 % is above --fail 2 %'
