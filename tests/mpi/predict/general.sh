#!/bin/bash
# general.sh GPUCAL DATA - a kernel that no model was made for, predicted from a published file
# where there is no device: nothing but sizes is given.
set -eu
gpucal=$1 data=$2
out=$(mktemp -d)
trap 'rm -r "$out"' EXIT
export OCL_ICD_VENDORS=/nonexistent XDG_CACHE_HOME=$out
cat > "$out/add.cl" <<'KERNEL'
kernel void add(global float *sum, global const float *x, int n)
{
    int i = get_global_id(0);

    if (i < n)
        sum[i] += x[i];
}
KERNEL

predict() { # OPTION...
    "$gpucal" predict "$out/add.cl" --local 256 --global 'ceil(n/256)*256' \
        --params "$data/general/h100.yaml" "$@"
}
expect() { # PATTERN
    grep -qE -- "$1" "$out/answer" && return
    echo "no line matches: $1"
    cat "$out/answer"
    exit 1
}

predict --at n=200000001 > "$out/answer"
expect '^bound by dram: alone [0-9.]+ [mu]s, [89][0-9] % of the time$'
predict --at n=1000,2^27 --csv "$out/times.csv" > "$out/answer"
expect '^ *1000 .* bound by launch'
expect '^ *134217728 .* bound by dram'
mv "$out/times.csv" "$out/answer"
expect '^"n",time_s,.*,bound_by,roof_s,class,estimated$'
expect '^1000,.*,"launch",[0-9.e-]+,small,0$'
predict --at n=2^27 --json > "$out/answer"
expect '"bound_by": "dram"'
expect '"latency": [0-9.e-]+'
expect '"class": "dram"'
