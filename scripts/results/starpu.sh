#!/bin/bash
# starpu.sh: compares the makespan of StarPU's scheduler dmda for the same tasks
# (docs/examples/starpu) with different cost models, on this machine's GPUs, or on its CPU if it
# has none.
#
#   scripts/results/starpu.sh [-r ROUNDS] [-g GRAPHS] [-n LARGEST] [-s STEPS] [-o OUT] [BUILD]
#
# BUILD is build in the source tree by default, and is built if necessary.  The GRAPHS (32)
# have up to LARGEST vertices, in steps of 64 (256; 1024 with a GPU).  The tasks of a graph
# depend on each other; with -s 1 each graph is one task, and all are placed at once.
# Cost models:
#
#   no model        tasks are counted; an OpenCL device is taken for 12 CPUs
#   StarPU, new     StarPU's own model, before it has measured anything
#   StarPU          the same, after enough runs for StarPU to use its means
#   exported        StarPU's own model, its OpenCL times from gpucal export --to starpu and
#                   those of CPUs measured by StarPU
#   gpucal          the cost function calls libgpucal
#
# Each round runs all of them in turn, so that other load affects them alike.  The table has
# medians over rounds, and median and quartiles of the ratio to gpucal's time in the same
# round.  OUT (a temporary folder by default) keeps all outputs.
set -eu -o pipefail
export LC_ALL=C # numbers with points, words in English

source_dir=$(cd "$(dirname "$0")/../.." && pwd)
rounds=10 graphs=32 largest='' steps=16 out=''
failed=() # by device.sh

die() { echo "starpu.sh: $*" >&2 && exit 1; }

while getopts :r:g:n:s:o:h option; do
    case $option in
    r) rounds=$OPTARG ;;
    g) graphs=$OPTARG ;;
    n) largest=$OPTARG ;;
    s) steps=$OPTARG ;;
    o) out=$OPTARG ;;
    h) sed -n '2,/^set -eu/s/^# \{0,1\}//p' "$0" && exit 0 ;;
    *) die "unknown option -$OPTARG (see -h)" ;;
    esac
done
shift $((OPTIND - 1))
build=$(realpath "${1:-$source_dir/build}")
if [ -z "$out" ]; then
    out=$(mktemp -d)
    trap 'rm -rf "$out"' EXIT
fi
mkdir -p "$out/store" && out=$(realpath "$out")
gpucal=$build/mpi/gpucal
# shellcheck source=scripts/results/device.sh
. "$source_dir/scripts/results/device.sh"

pkg-config --exists starpu-1.3 || die "StarPU 1.3 not found: apt-get install libstarpu-dev"

# ---- programs ----

build_programs() {
    "$source_dir/scripts/build.sh" -t gpucal -t libgpucal "$build" > "$out/build.log" ||
        die "$(tail "$out/build.log")"
    cmake -DCMAKE_INSTALL_PREFIX="$out/prefix" -DCMAKE_INSTALL_LOCAL_ONLY=ON \
        -P "$build/store/lib/cmake_install.cmake" > "$out/build.log"
    { cmake -S "$source_dir/docs/examples/starpu" -B "$out/example" \
        -DCMAKE_PREFIX_PATH="$out/prefix" && cmake --build "$out/example"; } \
        > "$out/build.log" 2>&1 || die "$(cat "$out/build.log")"
}

# The first and the last line do not belong to the kernel.
write_kernel() {
    "$gpucal" kernels min_plus version:V4 dtype:float32 n:128 --source |
        sed '1d;$d' > "$out/min_plus.cl"
    "$gpucal" count "$out/min_plus.cl" -D T=float --local 8,8 \
        --global '8*ceil(n/64),8*ceil(n/64)' --assume 'n % 64 = 0 and n >= 64' \
        --output "$out/min_plus.yaml" > "$out/count.txt"
}

# ---- calibrating ----

# p_fill: fewer work-items than fill a GPU take as long as a full GPU.
write_config() { # KIND
    local fill='' sizes=64,128,192,256
    [ "$1" = cpu ] || fill=' * max(1, p_fill / f_work_items)'
    [ "$1" = cpu ] || sizes=64,128,256,512,1024
    cat << END
version: 1
devices: {kinds: [$1]}
measure: {budget_s: 20, min_time_s: 0.000001, max_time_s: 0.3, rungs: 6, noise: 0.01}
models:
  - name: min_plus
    output: f_cl_wall_time
    expression: p_step * f_op_float32_min$fill + p_launch * f_sync_kernel_launch
    parameters: $([ "$1" = cpu ] && echo '{}' || echo '{p_fill: {unit: "1", min: 1, max: 1e6}}')
    kernels:
      - {tags: [min_plus, "version:V4", "dtype:float32", "n:$sizes"]}
END
}

calibrate() { # NODE KIND
    write_config "$2" > "$out/$1.config.yaml"
    SLURMD_NODENAME=$1 "$gpucal" --config "$out/$1.config.yaml" --store "$out/store" \
        --record "$out/$1.h5" > "$out/$1.txt" 2>&1 || die "$(cat "$out/$1.txt")"
}

# ---- running ----

# Uses a copy of a folder of models, which a run may change; the bus is measured once.
run() { # NAME FOLDER [OPTION]...
    local name=$1 folder=$2
    shift 2
    rm -rf "$out/models" && mkdir -p "$out/models"
    cp -r "$out/bus" "$out/models/"
    cp -r "$out/$folder/codelets" "$out/models/"
    STARPU_PERF_MODEL_DIR=$out/models timeout 300 "$out/example/paths" \
        --kernel "$out/min_plus.cl" --graphs "$graphs" --largest "$largest" \
        --steps "$steps" "$@" \
        > "$out/$name.txt" 2> "$out/$name.err" || die "$(tail -n 5 "$out/$name".*)"
    grep -qx 'results right' "$out/$name.txt" || die "$(cat "$out/$name.txt")"
}

# A first run of StarPU measures the bus.
measure_bus() {
    mkdir -p "$out/empty/codelets"
    STARPU_PERF_MODEL_DIR=$out/first "$out/example/paths" --model none \
        --kernel "$out/min_plus.cl" --graphs 1 --largest 64 > "$out/first.txt" 2>&1 ||
        die "$(cat "$out/first.txt")"
    cp -r "$out/first/bus" "$out/"
}

# Runs until StarPU uses its measurements, and keeps its models as FOLDER.
let_starpu_calibrate() { # FOLDER FIRST: prints the number of runs
    local folder=$1 first=$2 n=0
    while [ $n -lt 30 ]; do
        STARPU_CALIBRATE=1 run calibrating "$first" --model starpu
        rm -rf "${out:?}/$folder" && cp -r "$out/models" "$out/$folder"
        first=$folder
        n=$((n + 1))
        STARPU_CALIBRATE=0 run trusted "$folder" --model starpu
        grep -q 'not calibrated enough' "$out/trusted.err" || break
    done
    echo $n
}

row() { # ROUND WAY: one line of the run's figures
    awk -v round="$1" -v way="$2" '
        $1 == "makespan" { makespan = $2 }
        /^worker / { if ($2 == "OpenCL") opencl += $(NF - 1); else cpu += $(NF - 1) }
        /measured - 1/ { error = $(NF - 1) }
        END { printf "%s\t%s\t%s\t%d\t%d\t%s\n", round, way, makespan, opencl, cpu, error }
    ' "$out/$round.txt"
}

# ---- table ----

table() { # of the rows in FILE
    awk -F'\t' '
        function at(q, list, n,    i, j, t) { # a quantile of list[1..n], sorted here
            for (i = 2; i <= n; i++)
                for (j = i; j > 1 && list[j - 1] > list[j]; j--) {
                    t = list[j]; list[j] = list[j - 1]; list[j - 1] = t
                }
            i = 1 + q * (n - 1)
            j = int(i)
            return list[j] + (j < n ? (i - j) * (list[j + 1] - list[j]) : 0)
        }
        { if (!($2 in seen)) { seen[$2] = 1; ways[++n_ways] = $2 }
          rounds = $1 > rounds ? $1 : rounds
          s[$2, $1] = $3; o[$2, $1] = $4; c[$2, $1] = $5; e[$2, $1] = $6 }
        END {
            print "| costs from | makespan | over gpucal | quartiles | OpenCL tasks | CPU tasks | error |"
            print "| --- | --- | --- | --- | --- | --- | --- |"
            for (w = 1; w <= n_ways; w++) {
                way = ways[w]; has = 0
                for (r = 1; r <= rounds; r++) {
                    a[r] = s[way, r]; ratio[r] = s[way, r] / s["gpucal", r]
                    x[r] = o[way, r]; y[r] = c[way, r]
                    if (e[way, r] != "") z[++has] = e[way, r]
                }
                printf "| %s | %.4g s | %.2f | %.2f to %.2f | %d | %d | %s |\n", way,
                    at(0.5, a, rounds), at(0.5, ratio, rounds), at(0.25, ratio, rounds),
                    at(0.75, ratio, rounds), at(0.5, x, rounds), at(0.5, y, rounds),
                    has == rounds ? sprintf("%.0f %%", at(0.5, z, has)) : "-"
            }
        }' "$1"
}

# ---- main ----

build_programs
write_kernel
find_device
largest=${largest:-$(size 1024 256)}
ats=()
for ((n = 64; n <= largest; n += 64)); do ats+=(--at "n=$n"); done
node=$(uname -n)
node=${node%%.*}
options=(--profile "$out/min_plus.yaml" --store "$out/store" --node "$node")
if [ "$kind" = cpu ]; then
    # One thread for PoCL, the others are StarPU's.
    export STARPU_OPENCL_ON_CPUS=1 STARPU_OPENCL_ONLY_ON_CPUS=1 POCL_MAX_PTHREAD_COUNT=1
else
    options+=(--cpu-node core)
fi
began=$SECONDS
calibrate "$node" "$kind"
[ "$kind" = cpu ] || POCL_MAX_PTHREAD_COUNT=1 calibrate core cpu
echo "$device: calibrated by gpucal in $((SECONDS - began)) s"
measure_bus

began=$SECONDS
n=$(let_starpu_calibrate own empty)
echo "calibrated by StarPU in $n runs with a trial after each, $((SECONDS - began)) s"
"$gpucal" export --to starpu --store "$out/store" --node "$node" \
    --profile "$out/min_plus.yaml" "${ats[@]}" --symbol square --data 4:n,n --data 4:n,n \
    --output "$out/exported" 2> "$out/export.err"
n=$(STARPU_NOPENCL=0 let_starpu_calibrate both exported)
echo "CPUs beside the exported file: $n runs with a trial after each"

for ((round = 1; round <= rounds; round++)); do
    export STARPU_CALIBRATE=0
    run $round empty --model none && row $round 'no model'
    run $round empty --model starpu && row $round 'StarPU, new'
    run $round own --model starpu && row $round StarPU
    run $round both --model starpu && row $round exported
    run $round empty --model gpucal "${options[@]}" && row $round gpucal
done > "$out/rows.tsv"
table "$out/rows.tsv"
