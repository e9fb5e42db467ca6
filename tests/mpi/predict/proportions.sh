#!/bin/bash
# proportions.sh GPUCAL DATA - a model of multiply-adds alone that was fitted to products of matrices predicts a product of
# any source, and nothing that has other work for its multiply-adds.
set -eu
gpucal=$1 data=$2
out=$(mktemp -d)
trap 'rm -r "$out"' EXIT
export OCL_ICD_VENDORS=/nonexistent XDG_CACHE_HOME=$out
fail() {
    echo "$*"
    cat "$out/answer"
    exit 1
}
cat > "$out/k.cl" <<'KERNEL'
#define ENTRY kernel void __attribute__((reqd_work_group_size(16, 16, 1)))
ENTRY product(global const float *x, global const float *y, global float *z, int n)
{
    local float xs[16*16], ys[16*16];
    int l0 = get_local_id(0), l1 = get_local_id(1), g0 = get_group_id(0), g1 = get_group_id(1);
    float acc = 0.0f;

    for (int o = 0; o <= (-16 + n)/16; ++o) {
        barrier(CLK_LOCAL_MEM_FENCE);
        xs[16*l1 + l0] = x[n*(16*g1 + l1) + 16*o + l0];
        ys[16*l1 + l0] = y[n*(16*o + l1) + 16*g0 + l0];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k <= 15; ++k)
            acc = acc + xs[16*l1 + k]*ys[16*k + l0];
    }
    z[n*(16*g1 + l1) + 16*g0 + l0] = acc;
}
ENTRY plain(global const float *x, global const float *y, global float *z, int n)
{
    float acc = 0.0f;

    for (int k = 0; k < n; ++k)
        acc = acc + x[n*get_global_id(1) + k]*y[n*k + get_global_id(0)];
    z[n*get_global_id(1) + get_global_id(0)] = acc;
}
ENTRY registers(global float *z, int n)
{
    float acc = z[n*get_global_id(1) + get_global_id(0)], f = acc*0.5f;

    for (int k = 0; k < n; ++k)
        acc = acc*f + 1.5f;
    z[n*get_global_id(1) + get_global_id(0)] = acc;
}
KERNEL
"$gpucal" fit --record "$data/listing/record.h5" --output "$out" > "$out/answer" 2>&1 || fail fit
ask() { # KERNEL N
    "$gpucal" predict "$out/k.cl" -k "$1" -g n,n --assume 'n % 16 = 0 and n >= 16' --at "n=$2" --params "$out/vm.yaml" \
        > "$out/answer" 2>&1
}
ask product 320 || fail 'the product'
! grep -q 'not covered\|too little' "$out/answer" || fail 'the product is not covered'
mine=$(sed -n 's/.*predicted \(.*s\), .*/\1/p' "$out/answer")
"$gpucal" predict matmul_sq prefetch:True n:320 --params "$out/vm.yaml" > "$out/answer" 2>&1 || fail 'the fitted kernel'
[ "$mine" ] && grep -qF "predicted $mine," "$out/answer" || fail "the fitted kernel does not take $mine"
ask product 1024 || fail 'a larger product'
grep -q 'too little: .*mostly f_mem_access_global_float32_store' "$out/answer" || fail 'a larger product has no remark'
! ask registers 320 || fail 'a loop in registers is predicted'
grep -q 'kernel registers lacks most of that' "$out/answer" || fail 'not why'
! ask plain 320 || fail 'loads of global memory are predicted'
grep -q 'has no cost for .* of kernel plain' "$out/answer" || fail 'not why'

mkdir -p "$out/store/nodes"
cp "$out/vm.yaml" "$out/store/nodes"
"$gpucal" show --store "$out/store" --node vm > "$out/answer" 2>&1 || fail show
grep -q 'kernels like those it was fitted to' "$out/answer" || fail 'it is no general model'
