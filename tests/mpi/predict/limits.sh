#!/bin/bash
# limits.sh GPUCAL DATA - what a device cannot run has no time, in any command and from any source.
set -eu
gpucal=$1 params=$2/general/h200.yaml
out=$(mktemp -d)
trap 'rm -r "$out"' EXIT
export OCL_ICD_VENDORS=/nonexistent XDG_CACHE_HOME=$out
cat > "$out/k.cl" <<'KERNEL'
kernel void flat(global float *x)
{
    x[get_global_id(0)] += 1;
}
kernel void block(global float *x, int n)
{
    x[get_global_id(0) + n*(get_global_id(1) + n*get_global_id(2))] = 1;
}
kernel void __attribute__((reqd_work_group_size(32, 8, 8))) fixed(global float *x, int n)
{
    x[get_global_id(0) + n*(get_global_id(1) + n*get_global_id(2))] = 1;
}
kernel void declared(global float *x)
{
    local float t[KIB*256];

    t[get_local_id(0)] = x[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    x[get_global_id(0)] = t[get_local_id(0) ^ 1];
}
kernel void given(global float *x, local float *t)
{
    t[get_local_id(0)*48] = x[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    x[get_global_id(0)] = t[(get_local_id(0) ^ 1)*48];
}
kernel void unknown(global const int *x, global float *t, global float *y)
{
    y[get_global_id(0)] = t[x[get_global_id(0)]];
}
kernel void halves(global half *x)
{
    x[get_global_id(0)] *= x[get_global_id(0)];
}
kernel void stored_halves(global const half *x, global float *y)
{
    y[get_global_id(0)] = vload_half(get_global_id(0), x);
}
kernel void picture(read_only image2d_t a, global float4 *y)
{
    y[0] = read_imagef(a, (int2)(get_global_id(0), get_global_id(1)));
}
kernel void asked(read_only image2d_t a, global float4 *y, sampler_t s)
{
    for (int i = 0; i < get_image_width(a); i++)
        y[0] += read_imagef(a, s, (int2)(i, get_global_id(0)));
}
KERNEL
sed -i '1i #pragma OPENCL EXTENSION cl_khr_fp16 : enable' "$out/k.cl"

fail() {
    echo "$*"
    cat "$out/answer"
    exit 1
}
runs() { # COMMAND ARGUMENT...
    "$gpucal" "$@" --params "$params" > "$out/answer" 2>&1 || fail "refused: $*"
}
cannot_run() { # PATTERN COMMAND ARGUMENT...
    local pattern=$1 rc=0
    shift
    "$gpucal" "$@" --params "$params" > "$out/answer" 2>&1 || rc=$?
    [ $rc -eq 1 ] || fail "status $rc: $*"
    grep -qE -- "^gpucal: .*the launch needs $pattern" "$out/answer" || fail "not refused as such: $*"
}
groups='larger work-groups than the device allows: [0-9]+ work-items, of at most 1024 work-items'
local='more local memory than the device has: .* of at most 49.15 kB'
buffer='a larger buffer than the device allows: .* of at most 37.53 GB'

for command in predict explain; do
    runs $command "$out/k.cl" -k flat -l 1024 -g n --at n=2^20
    cannot_run "$groups" $command "$out/k.cl" -k flat -l 2048 -g n --at n=2^20
    runs $command "$out/k.cl" -k block -l 16,8,8 -g n,n,n --at n=128
    cannot_run "$groups" $command "$out/k.cl" -k block -l 16,16,8 -g n,n,n --at n=128
    cannot_run "$groups" $command "$out/k.cl" -k fixed -g n,n,n --at n=128
    runs $command "$out/k.cl" -k declared -D KIB=48 -l 64 -g n --at n=2^20
    cannot_run "$local" $command "$out/k.cl" -k declared -D KIB=49 -l 64 -g n --at n=2^20
    runs $command "$out/k.cl" -k given -l 256 -g n --at n=2^20
    cannot_run "$local" $command "$out/k.cl" -k given -l 512 -g n --at n=2^20
    # What the arguments have, whatever of it is accessed.
    runs $command "$out/k.cl" -k given -l 256 -g n --at n=2^20 --buffer t=12288
    cannot_run "$local" $command "$out/k.cl" -k given -l 256 -g n --at n=2^20 --buffer t=12289
    runs $command "$out/k.cl" -k unknown -l 256 -g n --at n=2^20 --buffer t=8589934592
    cannot_run "$buffer" $command "$out/k.cl" -k unknown -l 256 -g n --at n=2^20 --buffer t=17179869184
    runs $command "$out/k.cl" -k flat -l 256 -g n --at n=2^33
    cannot_run "$buffer" $command "$out/k.cl" -k flat -l 256 -g n --at n=2^34
    cannot_run "$buffer" $command "$out/k.cl" -k flat -l 256 -g n --at n=2^40
    runs $command "$out/k.cl" -k picture -l 16,16 -g n,n --at n=2^15
    cannot_run "$buffer" $command "$out/k.cl" -k picture -l 16,16 -g n,n --at n=2^16
    cannot_run "$buffer" $command "$out/k.cl" -k asked -l 256 -g n --at n=2^16,a_width=2^16
    cannot_run 'float16' $command "$out/k.cl" -k halves -l 256 -g n --at n=2^20
    runs $command "$out/k.cl" -k stored_halves -l 256 -g n --at n=2^20
    runs $command matmul_sq prefetch:True n:4096
    cannot_run "$buffer" $command matmul_sq prefetch:True n:262144
done
cannot_run "$buffer" tune matmul_sq n:262144
cannot_run "$groups" explain "$out/k.cl" -k flat -l 256 -g n --at n=2^20 --what-if local=4096
cannot_run "$buffer" explain "$out/k.cl" -k flat -l 256 -g n --at n=2^20 --what-if n=2^40
cannot_run "$local" explain "$out/k.cl" -k declared -D KIB=4 -l 256 -g n --at n=2^20 --what-if local-memory=64Ki

# One kernel that cannot run is no reason against others.
count() { # NAME ARGUMENT...
    "$gpucal" count "$out/k.cl" "${@:2}" -o "$out/$1.yaml" > /dev/null
}
count small -k flat -l 256 -g n
count large -k flat -l 2048 -g n
runs predict --profile "$out/small.yaml" --at n=2^20
cannot_run "$groups" predict --profile "$out/large.yaml" --at n=2^20
runs tune --profile "$out/large.yaml" --profile "$out/small.yaml" --at n=2^20
grep -qE "^ +1 .*small.yaml" "$out/answer" || fail 'tune: not the one that runs'
grep -q '^ *- *none .*large.yaml' "$out/answer" || fail 'tune: the one that cannot run has a time'
grep -qE "^not predicted: 1, .*$groups" "$out/answer" || fail 'tune: not why'
mkdir -p "$out/store/nodes"
cp "$params" "$out/store/nodes/vm.yaml"
if "$gpucal" export --to slurm --store "$out/store" --profile "$out/large.yaml" --at n=2^20 > "$out/answer" 2>&1 &&
    ! grep -qE "$groups" "$out/answer"; then fail 'export'; fi
grep -qE "$groups" "$out/answer" || fail 'export does not say why'

# The third dimension has a limit of its own.
depth='deeper work-groups than the device allows: 65 work-items, of at most 64 work-items'
runs predict "$out/k.cl" -k block -l 1,1,64 -g n,n,n --at n=64
cannot_run "$depth" predict "$out/k.cl" -k block -l 1,1,65 -g n,n,n --at n=65

# What is not known of a device limits nothing.
sed 's/^\( *max_work_group_size:\) .*/\1 0/; s/^\( *max_alloc_bytes:\) .*/\1 0/; s/^\( *global_memory_bytes:\) .*/\1 0/
    s/^\( *local_memory_bytes:\) .*/\1 0/' "$params" > "$out/unknown.yaml"
params=$out/unknown.yaml
runs predict "$out/k.cl" -k flat -l 2048 -g n --at n=2^40
runs predict "$out/k.cl" -k given -l 512 -g n --at n=2^20
