#!/bin/bash
# general.sh GPUCAL DATA - a kernel that no model was made for, predicted from a published file
# where there is no device: nothing but sizes is given.
set -eu
gpucal=$1 data=$2 params=$2/general/h100.yaml
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
        --params "$params" "$@"
}
expect() { # PATTERN
    grep -qE -- "$1" "$out/answer" && return
    echo "no line matches: $1"
    cat "$out/answer"
    exit 1
}

# No work at all.
if predict --at n=0 > "$out/answer" 2>&1; then echo 'a time of no launch'; exit 1; fi
expect 'no time for these sizes: a launch needs at least one work-group$'

# A device or model that there is not is said before anything is said of the kernel.
cat > "$out/rows.cl" <<'KERNEL'
kernel void rows(global float *sum, global const float *x, int n, int m)
{
    for (int k = 0; k < m; k++)
        sum[get_global_id(0)] += x[get_global_id(0)*m + k];
}
KERNEL
for command in predict explain; do
    for wrong in "--params $out/nothing.yaml" "--params $params --model nothing" \
        "--params $params --node n0"; do
        # shellcheck disable=SC2086 # two words each
        if "$gpucal" $command "$out/rows.cl" --local 64 --global n --at n=6400,m=3 $wrong > "$out/answer" 2>&1; then
            echo "takes $wrong"
            exit 1
        fi
        if grep estimated "$out/answer"; then exit 1; fi
    done
    # Nor of a kernel that is not predicted; its sizes have a way out.
    if "$gpucal" $command "$out/rows.cl" --local 64 --global n --at n=6401,m=3 --params "$params" \
        > "$out/answer" 2>&1; then exit 1; fi
    [ "$(grep -c . "$out/answer")" -eq 1 ]
    expect "n % 64 = 0' does not hold: .* --global '64\*ceil\(n/64\)'"
    "$gpucal" $command "$out/rows.cl" --local 64 --global n --at n=6400,m=3 --params "$params" \
        > /dev/null 2> "$out/answer"
    # Of its sizes as they are, not of any.
    if grep . "$out/answer"; then exit 1; fi
    "$gpucal" $command "$out/rows.cl" --local 64 --global n --at n=6400,m=3,5 --params "$params" \
        > /dev/null 2> "$out/answer"
    if grep . "$out/answer"; then exit 1; fi
done
cat > "$out/chosen.cl" <<'KERNEL'
kernel void chosen(global float *sum, global const float *x, global const int *at)
{
    sum[get_global_id(0)] += x[at[get_global_id(0)]];
}
KERNEL
"$gpucal" predict "$out/chosen.cl" --local 64 --global n --at n=6400 --params "$params" \
    > /dev/null 2> "$out/answer"
expect '^gpucal: estimated: '

# Rows that do not begin in whole sectors, at these sizes: nothing is left to be assumed.
"$gpucal" count "$out/rows.cl" --local 64 --global n --at n=6400,m=3,5 --sub-group 32 \
    --traffic=32 > "$out/answer" 2>&1
if grep 'assume ' "$out/answer"; then exit 1; fi
[ "$(grep -c '^kernel rows, assuming n = 6400 and m = [35]' "$out/answer")" -eq 2 ]

# A loop that only running it counts, at several sizes: each is what it is alone.
cat > "$out/steps.cl" <<'KERNEL'
kernel void steps(global float *sum, global const float *x)
{
    float s = 0;

    for (int k = get_global_id(0); k > 0; k = k * 3 / 4 - (k & 3))
        s += x[k];
    sum[get_global_id(0)] = s;
}
KERNEL
for at in n=1024 n=4096 n=1024,4096; do
    "$gpucal" predict "$out/steps.cl" --local 64 --global n --at $at --params "$params" \
        --csv "$out/$at.csv" --json > "$out/$at.json" 2> /dev/null
done
[ "$(cat "$out/n=1024.csv"; tail -1 "$out/n=4096.csv")" = "$(cat "$out/n=1024,4096.csv")" ]
grep -q '"n": 4096' "$out/n=1024,4096.json"
"$gpucal" explain "$out/steps.cl" --local 64 --global n --at n=1024,4096 --params "$params" \
    > "$out/answer" 2> /dev/null
expect '^sizes  *n=1024  *n=4096$'

predict --at n=200000001 > "$out/answer"
expect '^bound by dram: alone [0-9.]+ [mu]s, [89][0-9] % of the time$'
predict --at n=1000,2^27 --csv "$out/times.csv" > "$out/answer"
expect '^ *1000 .* bound by launch'
expect '^ *134217728 .* bound by dram'
mv "$out/times.csv" "$out/answer"
expect '^"n",time_s,.*,bound_by,roof_s,class,estimated,general_s$'
expect '^1000,.*,"launch",[0-9.e-]+,small,0,$'
# A link, such as /dev/stdout, is written to and not replaced.
ln -s "$out/linked.csv" "$out/link.csv"
predict --at n=1000,2^27 --csv "$out/link.csv" > /dev/null
[ -L "$out/link.csv" ] && cmp "$out/linked.csv" "$out/answer"
mkfifo "$out/pipe"
cat "$out/pipe" > "$out/piped.csv" &
predict --at n=1000,2^27 --csv "$out/pipe" > /dev/null
wait
[ -p "$out/pipe" ] && cmp "$out/piped.csv" "$out/answer"
predict --at n=2^27 --json > "$out/answer"
expect '"bound_by": "dram"'
expect '"latency": [0-9.e-]+'
expect '"class": "dram"'

# A model made for the kernel wins, and says by how much the general one differs.
params=$out/both.yaml
identity=$("$gpucal" count "$out/add.cl" --local 256 --global 'ceil(n/256)*256' --format yaml |
    sed -n 's/^fingerprint: *//p')
awk -v identity="$identity" '
    /^---$/ && !listed++ { print "  - name: own" }
    /^device: / { device = $0 }
    /^\.\.\.$/ {
        print "---\n" device "\nmodel: own\noutput: f_cl_wall_time"
        print "expression: p_add*f_op_float32_add\nform: linear\nfactor: 1\nfactor_error: 0"
        print "parameters:\n- {name: p_add, value: 1e-10, unit: s, standard_error: 1e-15}"
        print "covariance: |\n  1e-15 1\nfeatures:"
        print "- {name: f_op_float32_add, min: 0, max: 1e9}"
        print "known: |\n  " identity " - add target"
        print "kernels: 1\nsamples: 1\nresidual: 0.01\nmean_error: 0.01\nworst_error: 0.01"
        print "held_out: 1\nheld_out_rms: 0.01\nerror_90: 0.02"
    }
    { print }' "$data/general/h100.yaml" > "$params"
predict --at n=2^27 > "$out/answer"
expect 'predicted 419.4 us, .* \(model own\)$'
expect '^general predicts [56][0-9.]+ us \(\+[0-9]+ %\)$'
predict --at n=2^27 --json --csv "$out/times.csv" > "$out/answer"
expect '^  "general": \{$'
mv "$out/times.csv" "$out/answer"
expect '^134217728,0.000419[0-9]+,.*,0.000[56][0-9]+$'
# By name, the general model alone.
predict --at n=2^27 --model general > "$out/answer"
if grep 'general predicts' "$out/answer"; then exit 1; fi

# The cost of a launch is not refreshed where there is no such device.
if predict --at n=2^27 --refresh > "$out/answer" 2>&1; then exit 1; fi
expect 'no OpenCL platform'

# Places that a rare value in a buffer decides are no matter of a sample, which makes values up.
cat > "$out/rare.cl" <<'KERNEL'
kernel void rare(global float *y, global const int *x, global const float *t)
{
    int i = get_global_id(0), k = 0;

    if (x[i] == 3000)
        k = i;
    y[i] = t[k];
}
kernel void rare_sum(global float *y, global const float *x, global const float *t)
{
    int i = get_global_id(0);

    y[i] = t[x[i] > 1e20f ? i*(7 + i) % 65536 : 5];
}
KERNEL
for kernel in rare rare_sum; do
    "$gpucal" count "$out/rare.cl" -k $kernel -l 256 -g n --at n=65536 --traffic=32 --sub-group 32 \
        2> /dev/null > "$out/answer"
    awk '/ t +f_sector_global_float32_load$/ && $3 >= 8192 { found = 1 } END { exit !found }' \
        "$out/answer" || { echo "$kernel: fewer sectors than its places may have"; cat "$out/answer"; exit 1; }
done
