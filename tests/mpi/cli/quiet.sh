#!/bin/bash
# quiet.sh GPUCAL TESTS - --quiet leaves errors and the result; output for programs stays whole.
set -eu
gpucal=$1 tests=$2
# shellcheck source=tests/mpi/cli/options.sh
. "$(dirname "$0")/options.sh"
status=0
kernel=("$tests/wild/nbody.cl" --local 64 --global n)
# shellcheck disable=SC2317 # called by their names
predict() { "$gpucal" predict "${kernel[@]}" --params "$tests/data/rates/h200.yaml" "$@"; }
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
result() { # PATTERN COMMAND ARGUMENT...: the lines that match, and nothing on standard error
    local pattern=$1
    shift
    [ "$("$@" --quiet 2>&1 | grep .)" = "$("$@" 2> /dev/null | grep . | grep -E -- "$pattern")" ] ||
        fail "$* --quiet is not its result"
}
# shellcheck disable=SC2317
estimated() { # COMMAND ARGUMENT...: a kernel whose counts are estimates
    "$gpucal" "$1" "$tests/wild/gemm_naive.cl" --local 16,16 --global nj,ni \
        --params "$tests/data/general/h200.yaml" "${@:2}"
}
last_line "$gpucal" devices
result 'predicted' predict --at n=8192
result 'on node|n  |^ +[0-9]' predict --at n=4096,8192
result ': predicted|^limited' estimated explain --at ni=1024,nj=1024,nk=64
result ': predicted|^limited|what if:|nk=32' estimated explain --at ni=1024,nj=1024,nk=64 --what-if nk=32
result '^ +[0-9p]|^place|^time of|^prob|^not dist' "$gpucal" tune matmul_sq n:1024 --params "$tests/data/general/h200.yaml"
result '' count
whole predict --at n=8192 --json
whole count --format yaml
whole count --json
whole count --remove
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
