# checks.sh: commands of the tests of gpucal export and what is expected of them, sourced by these.
# shellcheck shell=bash

fail() {
    echo "FAILED: $*"
    for f in out err; do [ -f $f ] && sed "s/^/$f: /" $f; done
    exit 1
}
run() { "$@" > out 2> err || fail "exit status $?: $*"; }
refused() { # PATTERN COMMAND...
    local pattern=$1
    shift
    "$@" > out 2> err && fail "not refused: $*"
    grep -qE -- "$pattern" err || fail "no '$pattern'"
}
