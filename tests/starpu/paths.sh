#!/bin/bash
# StarPU schedules by libgpucal, and by files that gpucal exports: the program of
# docs/examples/starpu is built on an installed libgpucal, by pkg-config and by CMake, and
# run on PoCL.  Nothing here depends on how fast anything is.
#
#   paths.sh BUILD CMAKE CC GPUCAL STEADY_DEVICE
set -eu
build=$1 cmake=$2 cc=$3 gpucal=$4 steady_device=$5
example=$(realpath "$(dirname "$0")/../../docs/examples/starpu")
folder=$(mktemp -d "${TMPDIR:-/tmp}/gpucal-test.XXXXXX")
trap 'rm -rf "$folder"' EXIT
trap 'exit 143' TERM
cd "$folder"

fail() {
    echo "FAILED: $*"
    tail -n 30 ./*.out ./*.err
    exit 1
}

# OpenCL on one core of the CPU, and one CPU worker, however many cores there are.
export STARPU_OPENCL_ON_CPUS=1 STARPU_OPENCL_ONLY_ON_CPUS=1 POCL_MAX_PTHREAD_COUNT=1
export STARPU_NCPU=1 STARPU_NOPENCL=1 STARPU_WORKERS_NOBIND=1
export STARPU_CALIBRATE=0 STARPU_PERF_MODEL_DIR=$folder/models STARPU_HOSTNAME=here

# ---- programs ----

{ "$cmake" --build "$build" --target libgpucal &&
    "$cmake" -DCMAKE_INSTALL_PREFIX="$folder/prefix" -DCMAKE_INSTALL_LOCAL_ONLY=ON \
        -P "$build/store/lib/cmake_install.cmake"; } > install.out 2>&1 || fail "no libgpucal"
lib=$(dirname "$(find prefix -name libgpucal.so.1)")
flags=$(PKG_CONFIG_PATH=$folder/$lib/pkgconfig pkg-config --cflags --libs gpucal starpu-1.3)
# shellcheck disable=SC2086 # several words
"$cc" -std=gnu11 -O3 -Wall -Wextra -Werror "$example"/*.c $flags -lOpenCL -lm \
    -Wl,-rpath,"$folder/$lib" -o by-pkg-config > pkg-config.out 2>&1 ||
    fail "does not build by pkg-config"
{ "$cmake" -S "$example" -B by-cmake -DCMAKE_PREFIX_PATH="$folder/prefix" \
    -DCMAKE_C_COMPILER="$cc" && "$cmake" --build by-cmake; } > cmake.out 2>&1 ||
    fail "does not build by CMake"

# ---- calibration ----

cat > config.yaml << 'END'
version: 1
devices: {kinds: [cpu]}
measure: {budget_s: 600, kernel_limit_s: 300, min_time_s: 0.00001, max_time_s: 0.1, rungs: 6, noise: 0.05}
models:
  - name: min_plus
    output: f_cl_wall_time
    expression: p_step * f_op_float32_min + p_launch * f_sync_kernel_launch
    kernels:
      - {tags: [min_plus, "version:V4", "dtype:float32", "n:64,128,192"]}
END
mkdir store
# The first and the last line of what 'kernels' prints are not the kernel's.
"$gpucal" kernels min_plus version:V4 dtype:float32 n:128 --source 2> kernel.err |
    sed '1d;$d' > min_plus.cl
"$gpucal" count min_plus.cl -D T=float --local 8,8 --global '8*ceil(n/64),8*ceil(n/64)' \
    --assume 'n % 64 = 0 and n >= 64' --output min_plus.yaml > count.out 2> count.err ||
    fail "not counted"
LD_PRELOAD=$steady_device SLURMD_NODENAME=here "$gpucal" --config config.yaml --store store --record here.h5 \
    > calibrate.out 2> calibrate.err || fail "not calibrated"

# ---- scheduling ----

# 6 to 8 squarings for each graph; sizes are the same in each run.
run() { # NAME PROGRAM [OPTION]...
    local name=$1 program=$2
    shift 2
    "$program" --kernel min_plus.cl --graphs 6 --largest 192 "$@" \
        > "$name.out" 2> "$name.err" || fail "$name ended with $?"
    grep -qx 'results right' "$name.out" || fail "$name: wrong results"
}

says() { # NAME PATTERN
    grep -Eq "$2" "$1.out" || fail "$1 does not say '$2'"
}

tasks() { # NAME: predicted and all
    sed -n 's/^predicted \([0-9]*\) of \([0-9]*\) tasks.*/\1 \2/p' "$1.out"
}

by_gpucal=(--model gpucal --profile min_plus.yaml --store store --node here)
run none by-cmake/paths --model none
says none '^predicted 0 of [0-9]+ tasks$'
says none '^asked libgpucal 0 times for CPU and 0 times for OpenCL workers$'
read -r _ all <<< "$(tasks none)"
[ "$all" -ge 36 ] || fail "$all tasks"

for program in by-cmake/paths ./by-pkg-config; do
    name=gpucal-$(basename "$(dirname "$program")")
    run "$name" "$program" "${by_gpucal[@]}"
    [ "$(tasks "$name")" = "$all $all" ] || fail "$name: $(tasks "$name") tasks predicted"
    says "$name" 'mean \|predicted / measured - 1\| [0-9]+\.[0-9] %$'
    says "$name" '^cpu factor [0-9]*\.[0-9]+:'
    # dmda asks for both workers before it places a task.
    says "$name" "^asked libgpucal $all times for CPU and $all times for OpenCL workers$"
done

# A node that is not published is an error that says so.
if by-cmake/paths --kernel min_plus.cl --model gpucal --profile min_plus.yaml \
    --store store --node there > there.out 2> there.err; then
    fail "a node that is not there was scheduled by"
fi
grep -q 'there' there.err || fail "which node is not there is not said"

# ---- exported ----

predicted_us() { # N
    "$gpucal" predict --store store --node here --profile min_plus.yaml --at "n=$1" --json |
        sed -n 's/.*"time_s": *\([0-9.e+-]*\).*/\1/p' | awk '{ print 1e6 * $1 }'
}

# To 0.01 %: files and outputs have six digits.
same() {
    awk -v a="$1" -v b="$2" 'BEGIN { d = a - b; exit !(d * d <= 1e-8 * a * a) }'
}

# Without models StarPU has to calibrate; with these it has not, and takes them.
STARPU_NCPU=0 run missing by-cmake/paths --model starpu
grep -q 'not calibrated enough' missing.err || fail "StarPU missed no models"
rm -rf models/codelets
"$gpucal" export --to starpu --store store --node here --profile min_plus.yaml \
    --at n=64 --at n=128 --at n=192 --symbol square --data 4:n,n --data 4:n,n \
    --output models > export.out 2> export.err || fail "not exported"
[ -s models/codelets/45/square.here ] || fail "no file"
cp models/codelets/45/square.here exported
STARPU_NCPU=0 run exported by-cmake/paths --model starpu
! grep -q 'not calibrated enough' exported.err || fail "StarPU did not take what was exported"
[ "$(tasks exported)" = "$all $all" ] || fail "$(tasks exported) tasks predicted"
compared=0
for n in 64 128 192; do
    expected=$(predicted_us $n)
    said=$(sed -n "s/^n $n on OpenCL:.*mean predicted \([^ ]*\) s.*/\1/p" exported.out |
        awk '{ print 1e6 * $1 }')
    [ -z "$said" ] && continue # no graph of this size was drawn
    same "$said" "$expected" ||
        fail "n = $n: StarPU expects $said us, gpucal predicts $expected us"
    compared=$((compared + 1))
done
[ $compared -ge 2 ] || fail "$compared sizes compared"
cmp -s exported models/codelets/45/square.here || fail "StarPU changed what it trusts"

# StarPU goes on from there: it measures, whatever that is, and writes entries of more
# samples.
STARPU_NCPU=0 STARPU_CALIBRATE=1 STARPU_HISTORY_MAX_ERROR=1000000000 run continued by-cmake/paths --model starpu
awk '$1 !~ /#/ && NF == 8 && $NF > 10 { n++ } END { exit n < 1 }' \
    models/codelets/45/square.here || fail "StarPU did not go on from what was exported"

if command -v starpu_perfmodel_display > /dev/null; then
    cp exported models/codelets/45/square.here
    starpu_perfmodel_display -s square > display.out 2> display.err || fail "not displayed"
    for n in 64 128 192; do
        shown=$(awk -v n=$n '$2 == 8 * n * n && NF == 6 && $6 == 10 { print $4 }' display.out)
        same "$shown" "$(predicted_us $n)" || fail "n = $n is displayed as '$shown' us"
    done
    grep -q 'Non-Linear: y = a size ^b + c' display.out || fail "no power law is displayed"
fi
