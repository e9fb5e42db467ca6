#!/bin/bash
# export_starpu.sh - performance models for StarPU from a store of two nodes with two GPUs
# each: export_starpu.sh GPUCAL DATA
set -u
gpucal=$1 data=$2
work=$(mktemp -d "${TMPDIR:-/tmp}/gpucal-test.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
unset GPUCAL_TRUSTED_KEYS
export GPUCAL_STORE=$work/store

fail() {
    echo "FAILED: $*"
    for f in out err; do [ -f $f ] && sed "s/^/$f: /" $f; done
    exit 1
}
profile=(--profile "$data/mm.profile.yaml" --at n=65536 --at n=131072 --at n=1048576)
export_starpu() { # OPTION...
    "$gpucal" export --to starpu "$@" > out 2> err
}
refused() { # PATTERN OPTION...
    local pattern=$1
    shift
    export_starpu "$@" && fail "not refused: $*"
    [ ! -s out ] || fail "refused, but written: $*"
    grep -qE -- "$pattern" err || fail "no '$pattern': $*"
}

mkdir store made store/nodes
"$gpucal" fit --record "$data/two-gpus/record.h5" --store made > out 2> err || fail "no fit"
for node in n1 n2; do
    sed "s/^node: vm\$/node: $node/" made/nodes/vm.yaml > store/nodes/$node.yaml
done

# A file for each node, with a table for each worker.
export_starpu "${profile[@]}" --symbol mm --data 4:n --data 4:n -o models ||
    fail "not exported"
[ ! -s out ] || fail "--output goes to standard output as well"
for node in n1 n2; do
    file=models/codelets/45/mm.$node
    [ "$(grep -c '^# Model for opencl[01]_impl0 .*)$' $file)" = 2 ] || fail "workers of $node"
    [ "$(awk '!/^#/ && NF == 8 && $8 == 10' $file | wc -l)" = 6 ] || fail "entries of $node"
    [ "$(grep -v '^#' $file | head -n 1)" = 45 ] || fail "version of $node"
done
# The times of 'predict', in microseconds.
for worker in 0 1; do
    uid=$(sed -n "/^# Model for opencl$worker/{n;s/.*, \(uuid:[^,]*\),.*/\1/p}" models/codelets/45/mm.n1)
    "$gpucal" predict --node n1 --device "$uid" "${profile[@]:0:4}" --json > out 2> err ||
        fail "device $uid is not predicted"
    awk -v worker=$worker '
        FNR == NR { if (match($0, /"time_s": *[-0-9.e+]+/)) {
                s = substr($0, RSTART, RLENGTH); sub(/.*: */, "", s) }
            next }
        /^# Model for opencl/ { mine = index($0, "opencl" worker) }
        mine && !/^#/ && NF == 8 && $2 == 8 * 65536 { us = $4 }
        END { d = us - 1e6 * s; exit !(s > 0 && d * d <= 1e-8 * us * us) }
    ' out models/codelets/45/mm.n1 || fail "worker $worker's time is not that of predict"
done

# One node goes to standard output; a model's size_base is hashed in place of handles.
export_starpu "${profile[@]}" --symbol mm --node n2 --size-base n || fail "not exported"
awk '!/^#/ && NF == 8 && $2 == 131072 { n++ } END { exit n != 2 }' out || fail "size_base"

refused 'requires the kernel of the codelet' --symbol mm --data 4:n
refused 'requires the kernel of the codelet' "${profile[@]}" "${profile[@]}" --symbol mm --data 4:n
refused '--symbol NAME' "${profile[@]}" --data 4:n
refused '--symbol NAME' "${profile[@]}" --symbol a.b --data 4:n
refused 'either --data' "${profile[@]}" --symbol mm
refused 'either --data' "${profile[@]}" --symbol mm --data 4:n --size-base n
refused "cannot distinguish --at number 1 from number 2" "${profile[@]}" --symbol mm --data 4:64
refused "'n/7' is .* not a size" "${profile[@]}" --symbol mm --data 4:n/7
refused 'give --output' "${profile[@]}" --symbol mm --data 4:n
refused 'no node has a device' "${profile[@]}" --symbol mm --data 4:n --device 'radeon*'
refused "unknown --format 'table'" "${profile[@]}" --symbol mm --data 4:n --format table
refused 'node n1: .*no model' "${profile[@]}" --symbol mm --data 4:n --model other -o models
