#!/bin/bash
# own_commands.sh GPUCAL TESTS - kernels in the styles that people write, by the commands that
# they would type: counted, stripped and predicted, and what is said where something is missing.
set -u
gpucal=$1 tests=$2
work=$(mktemp -d "${TMPDIR:-/tmp}/gpucal-test.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
unset GPUCAL_STORE SLURMD_NODENAME
n_failed=0 n_predicted=0

fail() {
    echo "FAILED: $*"
    sed 's/^/    /' out err
    n_failed=$((n_failed + 1))
}
# As typed: "gpucal" is a function.
gpucal() { "$gpucal" "$@" > out 2> err; }
good() { gpucal "$@" || fail "gpucal $*: exit status $?"; }
refused() { # TEXT WORD..: exit status 1, with this text in the message
    local text=$1
    shift
    gpucal "$@"
    [ $? = 1 ] || fail "gpucal $*: not refused"
    grep -qF -- "$text" err || fail "gpucal $*: the message has no '$text'"
    [ "$(grep -vc '^[ 0-9]* | ' err)" = 1 ] || fail "gpucal $*: more than one line"
}
# A time, or the work that the general model has no cost for.
predicts() {
    if gpucal predict "$@"; then
        prints 'predicted [0-9.]+ [mun]?s, 90 % interval'
        n_predicted=$((n_predicted + 1))
    else
        grep -q 'has no cost for' err || fail "gpucal predict $*"
    fi
}
line() { grep -nF -m 1 "$1" my.cl | cut -d: -f1; }
prints() { grep -qE -- "$1" out || fail "no line matches '$1'"; }

cp "$tests/own/own.h" .
cp "$tests/own/own.cl" my.cl
mkdir -p store/nodes
# A busy CPU's model is poor; this one is not, so that it is chosen without its name.
sed -e 's/^node: .*/node: n0/' -e 's/^error_90: .*/error_90: 0.2/' \
    "$tests/data/rates/cpu.yaml" > store/nodes/n0.yaml
sed 's/^node: .*/node: n1/' "$tests/data/rates/h200.yaml" > store/nodes/n1.yaml

# ---- every kernel: counted, predicted, a memory component (NAME LOCAL GLOBAL AT OPTION..) ----
while read -r name local global at options; do
    # shellcheck disable=SC2086
    set -- -k "$name" -l "$local" -g "$global" $options
    good count my.cl "$@" --at "$at" --csv counts.csv -o "$name.yaml"
    prints '  f_work_items$'
    [ "$(wc -l < counts.csv)" -gt 5 ] || fail "$name: too few lines of CSV"
    predicts my.cl "$@" --at "$at" --store store --node n1 --model rates
    predicts --profile "$name.yaml" --at "$at" --store store --node n0 --model rates
    [ "$name" = mandelbrot ] || good count my.cl "$@" --remove --memory -o memory.cl
done << KERNELS
saxpy 256 n n=2^20
conv5x5 16,16 width,height width=2048,height=2048
transpose 16,16 n,n n=2Ki
nbody 64 n n=8192
reduce 128 8192 n=2^24
drift 64 n n=1Mi
heat_materials 16,16 nx,ny nx=1024,ny=512
triad4 64 65536 n4=2^20
grey 64 pixels pixels=1920*1080
halves 64 n n=2^20
matmul 16,16 n,n n=1024
matmul 8,8 n,n n=1024 -D TILE=8
matvec 64 rows rows=4096,cols=1000
dot_groups 128 floor((n+255)/256)*128 n=1e6
spmv_ell 64 rows rows=64000,width=9
spmv_csr 64 rows rows=64000,per_row=7.5 -T $(line 'k = first'):per_row
stencil7 8,4,4 nx,ny,nz nx=128,ny=128,nz=64
blur_rows 16,16 width,height width=1024,height=1024
smooth1d 64 n n=2^20
histogram 64 8192 n=2^24
scan_step 64 n n=2^20,offset=64
lcg 64 n n=4096,steps=100
black_scholes 64 n n=2^20
mandelbrot 16,16 width,height width=1024,height=1024,trips=80 -T $(line 'while (x'):trips
KERNELS
[ "$n_predicted" -ge 20 ] || fail "only $n_predicted predictions"

# ---- the way to the first number ----
refused 'no store given' predict my.cl
refused 'missing: the kernel (--kernel saxpy, conv5x5, ' predict my.cl
# What has no count for all sizes has one for each.
cat > gcd.cl <<'END'
kernel void gcd(global int *b, int n)
{
    int u = get_global_id(0), v = n;
    while (v) { int t = u % v; u = v; v = t; }
    b[get_global_id(0)] = u;
}
END
refused 'is not affine in sizes' count gcd.cl -l 64 -g n --sub-group 32
grep -qE '^ +[0-9]+ \| .*while' err && grep -qE '^ +\| +\^$' err || fail "its place is not shown: $(cat err)"
good count gcd.cl -l 64 -g n --sub-group 32 --at n=128,4096
prints '32  32 .*f_op_int32_rem'
prints '1460  1460 .*f_op_int32_rem'
good count gcd.cl -l 64 -g n --sub-group 32 --at n=128,4096 --json
[ "$(grep -c '"kernel": "gcd"' out)" = 2 ] || fail "not two objects"
refused 'is not affine in sizes' count gcd.cl -l 64 -g n --sub-group 32 --at n=128,4096 --csv x.csv

refused 'predict my.cl --kernel saxpy --local 64 --global n --at n=1024' predict my.cl
export GPUCAL_STORE=$work/store
refused 'calibrated nodes: n0, n1' predict my.cl
refused 'the kernel (--kernel saxpy, conv5x5, transpose, nbody, reduce, ' predict my.cl --node n0
refused '--kernel saxpy --at n=1024' predict my.cl --node n0 --local 256 --global n
refused "did you mean 'saxpy'?" predict my.cl --node n0 -k saxpi --local 256 --global n
refused "no value for the size 'n' (--at n=VALUE)" \
    predict my.cl --node n0 -k saxpy --local 256 --global n
good predict my.cl --node n0 -k saxpy --local 256 --global n --at n=1048576
prints 'predicted [0-9.]+ [mu]s, 90 % interval [0-9.]+ ([mu]s )?to [0-9.]+ [mu]s \(model rates\)$'
good predict my.cl --node n0 -k saxpy --local 256 --global n --at n=1048576 --model rates
good predict my.cl --node n0 -k saxpy -l 256 -g n -A n=1048576,a=2.5
refused "'b' is not a size or an argument of kernel 'saxpy'" \
    predict my.cl --node n0 -k saxpy -l 256 -g n -A n=1048576,b=1

# ---- work-groups, several sizes ----
good predict my.cl -N n0 -k transpose -g n,n -A n=1024
refused 'the kernel requires work-groups of 16x16x1' \
    predict my.cl -N n0 -k transpose -l 8,8 -g n,n -A n=1024
refused 'missing: the work-group size (--local); for example: ' \
    predict my.cl -N n0 -k saxpy -g n -A n=1024
good predict my.cl -N n0 -k saxpy -l 256 -g n -A n=2^20:2^22 -A n=768 --csv times.csv
[ "$(grep -cE '^ +[0-9]+ +[0-9.]+ [mu]s' out)" = 4 ] || fail "not four lines of predictions"
[ "$(cut -d, -f1 times.csv | tr '\n' ' ')" = '"n" 1048576 2097152 4194304 768 ' ] ||
    fail "times.csv: $(cat times.csv)"
good predict my.cl -N n0 -k saxpy -l 256 -g n -A n=512,1024 --json
[ "$(grep -c '"time_s"' out)" = 2 ] || fail "not a list of two"
good tune --profile saxpy.yaml --at n=512,1024 -N n0
[ "$(grep -c ' n:512$\| n:1024$' out)" = 2 ] || fail "not two variants"
good export --to starpu --node n1 --symbol saxpy --profile saxpy.yaml --data 4:n \
    --at n=2^16:2^20 -o models

# ---- as devices build it ----
good count my.cl -k saxpy -l 64 -g n --build -o built.yaml
prints '^built for [-a-z0-9]+: [0-9]+ bytes of private memory, work-groups of up to [0-9]+ work-items'
grep -q '^gpucal_profile: 6$' built.yaml || fail "built.yaml: another version"
type=$(sed -n 's/^- device: //p' built.yaml)
good count my.cl -k saxpy -l 64 -g n --build="$type" --json
grep -q '"registers": null' out || fail "JSON without registers"
# On a device that the profile has, they are the kernel's; on others nothing changes.
sed "s/^  type: .*/  type: $type/" store/nodes/n0.yaml > this.yaml
good predict --profile built.yaml --params this.yaml --at n=2^20 --json --model rates
grep -q '"work_group_size": [0-9]' out || fail "JSON without what the device builds"
good predict my.cl -k saxpy -l 64 -g n --params this.yaml --at n=2^20 --build
prints "^built for $type: "
good predict --profile built.yaml --node n0 --at n=2^20 --json --model rates
! grep -q '"built"' out || fail "built for another device"
gpucal predict my.cl -k saxpy -l 64 -g n --node n0 --at n=2^20 --build
[ $? = 5 ] || fail "built on a device that is not there"
grep -q -- '--build: no OpenCL device of this machine matches' err || fail "no reason"
gpucal predict --profile built.yaml --node n0 --at n=2^20 --build && fail "a profile was built"

# ---- includes ----
mkdir -p include other
mv own.h include/
refused "'own.h' file not found (give its folder by --include)" \
    count my.cl -k saxpy -l 64 -g n
good count my.cl -I other -I include -k saxpy -l 64 -g n -o included.yaml
good count my.cl -I include -k blur_rows -g width,height --remove --memory -o memory.cl
! grep -q '#include' memory.cl || fail "the derived kernel includes files"

# ---- CUDA: launched as its host code does, in its own words ----
cat > my.cu << 'CODE'
#include <vector>
template <typename T> __global__ void shift(T *x, int w, int h) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < w && j < h) x[j * w + i] += 1;
}
int main() {
    std::vector<float> v;
    float *x; int w = v.size(), h = 7;
    dim3 block(32, 8), grid((w + 31) / 32, (h + 7) / 8);
    shift<float><<<grid, block>>>(x, w, h);
}
CODE
good count my.cu
grep -qF "my.cu:10: as it is launched there: --block 32,8 --grid 'floor((w+31)/32),floor((h+7)/8)'" err ||
    fail "no launch"
prints '^kernel shift'
prints '^  thread  +w\*h '
prints '^  warp  .* f_divergent_branch'
good count my.cu --block 16,16 --grid 'ceil(w/16),ceil(h/16)' --json
grep -q '"work-item"' out || fail "JSON is translated"
printf '%s\n' '__global__ void k(float *x, int n) { x[threadIdx.x] = n; }' > one.cu
refused "the global size (--grid); for example: gpucal count one.cu --block 64 --grid 'ceil(n/64)'" \
    count one.cu
refused "no kernel named 'shif'; there are: shift<float>" count my.cu -k shif

[ "$n_failed" = 0 ] || { echo "$n_failed failed"; exit 1; }
