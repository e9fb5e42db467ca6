#!/bin/bash
# quiet.sh GPUCAL TESTS - --quiet leaves errors and the last line; output for programs stays whole.
set -eu
gpucal=$1 tests=$2
# shellcheck source=tests/mpi/cli/options.sh
. "$(dirname "$0")/options.sh"
status=0
kernel=("$tests/wild/nbody.cl" --local 64 --global n)
# shellcheck disable=SC2317 # called by their names
predict() { "$gpucal" predict "${kernel[@]}" --at n=8192 --params "$tests/data/applications/vm.yaml" "$@"; }
# shellcheck disable=SC2317
count() { "$gpucal" count "${kernel[@]}" "$@"; }

fail() {
    echo "$*"
    status=1
}
last_line() { # COMMAND ARGUMENT...
    [ "$("$@" --quiet)" = "$("$@" | tail -n 1)" ] || fail "$* --quiet is not the last line"
    [ "$("$@" | wc -l)" -gt 1 ] || fail "$* has one line anyway"
}
whole() {
    [ "$("$@" -q)" = "$("$@")" ] || fail "$* -q is not whole"
}
last_line predict
last_line count
last_line "$gpucal" devices
whole predict --json
whole count --format yaml
whole count --json
whole "$gpucal" remove "${kernel[@]}"
whole "$gpucal" kernels

# Errors and the exit status are as ever.
rc=0
text=$("$gpucal" show -q --store /nonexistent 2>&1) || rc=$?
[[ $rc:$text == 1:*nonexistent* ]] || fail "show -q: status $rc, '$text'"

all=$(options)
for command in $(commands); do
    grep -q "^$command q quiet$" <<< "$all" || fail "$command has no --quiet"
done
exit $status
