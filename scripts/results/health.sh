#!/bin/bash
# health.sh: how often checks of devices (gpucal health --check) find a loss, and alarm without one.
#
#   scripts/results/health.sh            simulated devices, and a series recorded on an H200: minutes
#   scripts/results/health.sh OUT        on an NVIDIA GPU, with nvcc: a calibration, and checks alone, beside
#                                        another program, and after it; into the folder OUT, 4 minutes
#
# BUILD is the build folder (default: build); DEVICES (10000) are simulated for 20 days each.
set -u
export LC_ALL=C
top=$(cd "$(dirname "$0")/../.." && pwd)
build=${BUILD:-$top/build}

case ${1:-} in
-h | --help) sed -n '2,/^set -u/s/^# \{0,1\}//p' "$0" && exit 0 ;;
'')
    "$build/tests/calib/health_rates" "${DEVICES:-10000}" 20 1 && echo &&
        exec "$build/tests/calib/health_rates" "$top/tests/data/checks-h200.tsv"
    exit 1
    ;;
esac

mkdir "$1" && cd "$1" || exit 1
gpucal=$build/mpi/gpucal
export GPUCAL_STORE=$PWD/store
mkdir store

# It keeps the GPU busy for a share of each 100 ms.
cat > rival.cu << 'END'
#include <cstdlib>
#include <ctime>
__global__ void spin(float *out, long long cycles)
{
    float a = threadIdx.x, d = 1.5f;
    for (long long end = clock64() + cycles; clock64() < end;)
        for (int i = 0; i < 64; i++) {
            a = a * 1.0001f + 0.5f;
            d = d * 1.0001f + a;
        }
    if (a + d == 1)
        out[0] = a;
}
int main(int argc, char **argv)
{
    double share = argc > 1 ? atof(argv[1]) : 1;
    timespec rest = { 0, (long)((1 - share) * 1e8) };
    float *out;
    cudaMalloc(&out, 4);
    for (;;) {
        spin<<<132 * 8, 256>>>(out, (long long)(share * 0.1 * 1.98e9));
        cudaDeviceSynchronize();
        nanosleep(&rest, 0);
    }
}
END
nvcc -O2 -arch=native rival.cu -o rival || exit 1

checks() { # LABEL COUNT
    local i status
    for i in $(seq "$2"); do
        "$gpucal" health --check --json > "check-$1-$i.json" 2>> errors
        status=$?
        printf '%s: exit status %d: ' "$1" $status
        sed -n 's/^ *"reason": "\(.*\)",$/\1/p' "check-$1-$i.json" | tail -1
    done
}

"$gpucal" calibrate --device '*NVIDIA*' --quiet --record cal.h5 > calibrated 2>&1 || exit 1
checks alone 20
for share in 0.02 0.05 0.1 0.2 1; do
    ./rival $share &
    rival=$!
    sleep 1
    checks "beside-$share" 5
    kill $rival
    wait $rival 2> /dev/null
done
checks after 15
cat store/checks/*.tsv > checks.tsv
"$build/tests/calib/health_rates" checks.tsv
