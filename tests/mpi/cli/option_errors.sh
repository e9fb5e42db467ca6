#!/bin/bash
# option_errors.sh GPUCAL LIBRARY - what is mistyped is refused with what was probably meant; a
# library that ends the process is not silent.
set -eu
gpucal=$1 fake_driver=$2
status=0

expect() { # TEXT ARGUMENT...: status 1, and a first line with TEXT
    local text=$1 output rc=0
    shift
    output=$("$gpucal" "$@" 2>&1 < /dev/null) || rc=$?
    if [ $rc != 1 ] || [[ $output != *"$text"* ]]; then
        echo "gpucal $*: status $rc, '$output'; expected 1 and '$text'"
        status=1
    fi
}

expect "unknown command 'predct' (did you mean 'predict'?)" predct
expect "unknown command 'shwo' (did you mean 'show'?)" help shwo
for word in ls foo x version run measure; do
    expect "unknown command '$word'; 'gpucal help' lists them" $word
done
expect "unknown command 'helpp' (did you mean 'help'?)" helpp
expect "unknown command 'calib' (did you mean 'calibrate'?)" calib
expect "unknown option '--nodes' (did you mean '--node'?)" show --nodes n1
expect "a command comes before its options: gpucal show .." --store DIR show
expect "unknown option '--onchip' (did you mean '--on-chip'?)" count x.cl --onchip
expect "unknown option '--usgae' (did you mean '--usage'?)" audit --usgae
expect "--match: expected superset, identical, subset or intersect, found 'subst' (did you mean 'subset'?)" \
    kernels --match=subst
expect "--std: expected CL1.0, CL1.1, CL1.2, CL2.0 or CL3.0, found 'CL1.3'" count x.cl --std CL1.3
expect "--format: expected text or yaml, found 'yml' (did you mean 'yaml'?)" count x.cl -j -f yml
expect "found 'yml'" count x.cl -fyml
expect "unknown option '-x'" show -qx
# Nothing is suggested for what is similar to nothing.
for option in --wide --xyz --qqqq; do
    [[ $("$gpucal" show $option 2>&1) != *"did you mean"* ]] || { echo "show $option: a suggestion"; status=1; }
done
# Not options: what follows --, and values that begin with --.
expect "no.cl" count -l 1 -g n -- --nodes/no.cl
expect "no.cl" count -l 1 -g n --define --nodes no.cl
# A unique beginning is enough.
"$gpucal" show --hel > /dev/null
# -h is --help.
for command in show "help export" ""; do
    # shellcheck disable=SC2086 # words
    [ "$("$gpucal" $command -h)" = "$("$gpucal" $command --help)" ] || { echo "$command -h"; status=1; }
done
# MPI ends the process.
export OMPI_COMM_WORLD_RANK=0 TEST_ENDS=1 LD_PRELOAD=$fake_driver
expect "ends with status 1, and nothing has said why"
expect "ends with status 1, and nothing has said why" calibrate --quiet --json
exit $status
