#!/bin/bash
# cuda.sh GPUCAL DATA FAKE - kernels of a file in CUDA and in HIP, host code and all, predicted and timed: by
# a GPU and compilers that the folders FAKE have (tests/calib/device), at a PCI address (fake_driver).
set -eu
gpucal=$1 data=$2 fake=$3
out=$(mktemp -d)
trap 'rm -r "$out"' EXIT
export XDG_CACHE_HOME=$out LD_LIBRARY_PATH=$fake TEST_PCI=1
sed 's/uuid:1a9ab165-[-0-9a-f]*/pci:fffe:3b:00.0/' "$data/general/h100.yaml" > "$out/here.yaml"
cat > "$out/k.cu" << 'KERNEL'
#include <cstdio>
#include <vector>

struct Scale {
    float by;
    __device__ float operator()(float v) const { return by * v; }
};

template <typename T, int N> __device__ T power(T v)
{
    T result = v;
    for (int i = 1; i < N; i++)
        result *= v;
    return result;
}

__global__ void mirrored(const float *in, float *out, int n)
{
    extern __shared__ float block[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    block[threadIdx.x] = i < n ? in[i] : 0;
    if (i < n)
        out[i] = block[threadIdx.x];
}

template <typename T, int N> __global__ void powers(const T *in, T *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = power<T, N>(in[i]);
}

__global__ void scaled(const float *in, float *out, float by, int n)
{
    Scale scale = { by };
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = scale(in[i]);
}

std::vector<float> host(100);

int main()
{
    float *x = nullptr;
    powers<float, 3><<<4, 256>>>(x, x, 1000);
    std::printf("%f\n", host[0]);
}
KERNEL

fail() {
    echo "$*"
    cat "$out/log"
    exit 1
}
cp "$out/k.cu" "$out/k.hip"
run() { # KERNEL OPTION..., of $file
    "$gpucal" predict "$out/$file" -P "$out/here.yaml" -k "$1" -l 256 -g '256*ceil(n/256)' --at n=10000 \
        "${@:2}" > "$out/log" 2>&1
}

for file in k.cu k.hip; do
    for kernel in scaled mirrored 'powers<float, 3>' 'powers<double, 5>'; do
        run "$kernel" --measure || fail "$file: $kernel is not measured"
        grep -q 'predicted .* us, 90 % interval' "$out/log" || fail "$file: $kernel has no prediction"
        grep -q '^measured .* (median of [0-9]* launches, ' "$out/log" || fail "$file: $kernel has no time"
    done
done
export LD_LIBRARY_PATH=
for file in k.cu k.hip; do
    ! run scaled --measure || fail "$file: measured without a driver"
    grep -q 'measuring [A-Z]* kernels needs' "$out/log" || fail "$file: it does not say what is missing"
    run scaled || fail "$file: predicting needs a driver"
done
