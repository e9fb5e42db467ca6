#!/bin/bash
# balance.sh: compares ways of dividing work over unequal devices of this machine: equal shares, shares
# by peak rates, all on one device, gpucal_split(), and that corrected by measured times.  Calibrates
# the devices, runs docs/examples/balance, and prints Markdown tables.  All but the first take turns
# step by step and are compared within each run.
#
#   scripts/results/balance.sh [--gpu] OUT
#
# Each MPI rank has a device and cores of its own.  With --gpu: all NVIDIA GPUs with two cores
# each, and PoCL on the other cores.  Without: PoCL with 1, 2, 4, .. threads, up to the number
# of cores; on two cores, PoCL on each, with another load on the second.  Devices are
# calibrated under the conditions of their use, all at the same time.
#
# BUILD is the build folder (default: build) with the targets gpucal and balance, ROWS the
# number of rows of 1024 to divide (default: by the machine), ROUNDS the number of runs (5),
# STEPS the steps of each way per run (20).  Records and outputs are kept in OUT, which must
# not exist.
set -u
export LC_ALL=C # numbers with points, words in English
top=$(cd "$(dirname "$0")/../.." && pwd)
build=${BUILD:-$top/build}
gpucal=$build/mpi/gpucal
balance=$build/tests/balance/example/balance
kernel=$top/kernels/catalogue/matmul_rows.cl
rounds=${ROUNDS:-5} steps=${STEPS:-20} width=1024
ways=(equal peak one gpucal corrected)

die() {
    echo "balance.sh: $*" >&2
    exit 1
}

# shellcheck source=scripts/results/device.sh
. "$top/scripts/results/device.sh"

# ---- the devices ----

# For each device: node name, device name, cores, number of threads.
nodes=() names=() cores=() threads=()
next_core=0 spinner=

add_device() { # NODE NAME CORES
    nodes+=("$1") names+=("$2") threads+=("$3")
    cores+=("$next_core-$((next_core + $3 - 1))")
    next_core=$((next_core + $3))
}

find_named() { # gpu|cpu: sets 'device'
    DEVICE=$1 find_device
}

# As many rows as the calibration measures on one GPU, so that no prediction extrapolates.
add_gpus_and_cpu() {
    local gpus=() gpu
    find_named gpu
    mapfile -t gpus < <(awk -F'"' '$2 == "name" { name = $4 }
        $2 == "device_type" && $4 == "gpu" { print name }' "$out/devices.json")
    [ $((2 * ${#gpus[@]})) -lt "$(nproc)" ] ||
        die "${#gpus[@]} GPUs with two cores each leave no core for PoCL"
    for gpu in "${!gpus[@]}"; do
        add_device "gpu$gpu" "${gpus[$gpu]}" 2
    done
    find_named cpu
    add_device cpu "$device" $(($(nproc) - next_core))
    : "${ROWS:=$((131072 * ${#gpus[@]}))}"
}

add_cpus() {
    local n=1
    find_named cpu
    if [ "$(nproc)" = 2 ]; then
        add_device whole "$device" 1
        add_device shared "$device" 1
        taskset -c 1 sh -c 'while :; do :; done' &
        spinner=$!
        : "${ROWS:=4096}"
    else
        while [ $((4 * n - 1)) -le "$(nproc)" ]; do
            n=$((2 * n))
        done
        # The largest first: hyperthreads of one core are mostly neighbours.
        for (( ; n >= 1; n /= 2)); do
            add_device "cpu$n" "$device" $n
        done
        : "${ROWS:=16384}"
    fi
    [ ${#nodes[@]} -gt 1 ] || die "this machine has one core, so one device: nothing to divide"
}

# Sets 'as', the prefix that runs a command as the device's node, on its cores; nodes gpu0,
# gpu1, .. see their GPU, others none.  PoCL before 4.0 reads the first of the two limits.
# mpirun truncates variables with a colon.
as_node() { # INDEX
    as=(env "SLURMD_NODENAME=${nodes[$1]}" "POCL_MAX_PTHREAD_COUNT=${threads[$1]}"
        "POCL_CPU_MAX_CU_COUNT=${threads[$1]}"
        ${OCL_ICD_FILENAMES:+"OCL_ICD_FILENAMES=$OCL_ICD_FILENAMES"}
        "CUDA_VISIBLE_DEVICES=${nodes[$1]#gpu}"
        taskset -c "${cores[$1]}")
}

# ---- measuring ----

calibrate() {
    local i status pids=()
    mkdir "$out/store"
    for i in "${!nodes[@]}"; do
        as_node "$i"
        "${as[@]}" "$gpucal" --config "$top/docs/examples/balance/balance.yaml" \
            --store "$out/store" --record "$out/${nodes[$i]}.h5" --device "${names[$i]}" \
            > "$out/${nodes[$i]}.txt" 2> "$out/${nodes[$i]}.log" &
        pids+=($!)
    done
    for i in "${!nodes[@]}"; do
        wait "${pids[$i]}"
        status=$?
        # 4: a model was rejected; a device may not need one of the peak rates.
        [ $status = 0 ] || [ $status = 4 ] ||
            die "${nodes[$i]}: $(tail -n 1 "$out/${nodes[$i]}.log")"
    done
    "$gpucal" count "$kernel" -D T=float -D ROWS=8 -D WIDTH=16 --local 16,2 \
        --global n/16,rows/8 --assume "n % 256 = 0 and rows % 16 = 0 and rows >= 16" \
        --output "$out/rows.profile.yaml" > /dev/null || die "the kernel cannot be counted"
}

divide() { # NAME WAY,.. ROWS INDEX...: runs the example on these devices, into OUT/NAME.run
    local name=$1 list=$2 rows=$3 command=() i
    shift 3
    for i in "$@"; do
        as_node "$i"
        [ ${#command[@]} = 0 ] || command+=(:)
        command+=(-n 1 "${as[@]}" "$balance" --store "$out/store"
            --profile "$out/rows.profile.yaml" --kernel "$kernel" --split "$list"
            --rows "$rows" --width "$width" --steps "$steps")
    done
    timeout 500 mpirun --oversubscribe --bind-to none "${command[@]}" \
        > "$out/$name.run" 2> "$out/$name.log" ||
        die "$name: $(cat "$out/$name.run" "$out/$name.log")"
}

# Each device alone with its equal share, then all together.  Equal shares have a run of their own: a
# fast device rests in most of it, and runs faster than it can for long after that.
run_rounds() {
    local share=$((ROWS / ${#nodes[@]} / 16 * 16)) round i
    for ((round = 1; round <= rounds; round++)); do
        for i in "${!nodes[@]}"; do
            divide "alone-$i-$round" equal $share "$i"
        done
        divide "all-equal-$round" equal "$ROWS" "${!nodes[@]}"
        divide "all-$round" peak,one,gpucal,corrected "$ROWS" "${!nodes[@]}"
    done
}

# ---- results ----

# Median of the numbers on standard input.
median() {
    sort -g | awk '{ v[NR] = $1 } END { print (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }'
}

# Figures of one way from all runs.
of_way() { # WAY FILE...
    local way=$1
    shift
    awk -v way="$way:" '$1 == "split" { on = $2 == way } on' "$@"
}

makespan() { # WAY: seconds, over the rounds
    of_way "$1" "$out"/all-*.run | awk '$1 == "makespan" { print $2 }' | median
}

# Imbalance of single steps.
imbalance() { # WAY
    of_way "$1" "$out"/all-*.run | awk '$1 == "makespan" { print $8 }' | median
}

# Imbalance of the devices' medians over a run's steps, that is without noise.
imbalance_of_medians() { # WAY
    of_way "$1" "$out"/all-*.run | awk '
        $1 == "split" { most = sum = n = 0 }
        $5 == "s" { n++; sum += $6; most = $6 > most ? $6 : most }
        $1 == "makespan" { print 100 * (most * n / sum - 1) }' | median
}

# Rows per second, the median of a rank, from standard input.
rate() { # RANK TIMES-FIELD
    awk -v rank="$1" -v field="$2" \
        '$5 == "s" && $1 == rank && $3 > 0 { print $3 / $field }' | median
}

calculate() { # EXPRESSION [FORMAT]
    awk "BEGIN { printf \"${2:-%.6f}\", ($1) }"
}

# Sets 'sum', 'least' and 'most' of the devices' rates when alone, and 'best', the fastest device.
print_devices() {
    local i alone
    echo "| device | cores | predicted, rows/s | alone, rows/s | all at once, rows/s |"
    echo "|---|---|---|---|---|"
    for i in "${!nodes[@]}"; do
        alone=$(rate 0 6 < <(cat "$out/alone-$i"-*.run))
        sum=$(calculate "${sum:-0} + $alone" %.6g)
        least=$(calculate "$alone < ${least:-$alone} ? $alone : ${least:-$alone}" %.6g)
        [ "$(calculate "$alone > ${most:-0}" %d)" = 0 ] || { most=$alone && best=$i; }
        printf '| %s: %s | %d | %.0f | %.0f | %.0f |\n' "${nodes[$i]}" "${names[$i]}" \
            "${threads[$i]}" "$(of_way gpucal "$out"/all-*.run | rate "$i" 4)" "$alone" \
            "$(of_way gpucal "$out"/all-*.run | rate "$i" 6)"
    done
}

print_way() { # WAY
    local time_s rows
    time_s=$(makespan "$1")
    rows=$(of_way "$1" "$out"/all-*1.run |
        awk '$5 == "s" { printf "%s%s", sep, $3; sep = ", " }')
    printf '| %s | %s | %.2f ms | %.1f%% | %.1f%% | %.3f | %.3f |\n' "$1" "$rows" \
        "$(calculate "1000 * $time_s")" "$(imbalance "$1")" "$(imbalance_of_medians "$1")" \
        "$(calculate "$(makespan equal) / $time_s" %.3f)" "$(calculate "$ROWS / $most / $time_s")"
}

print_tables() {
    local way sum='' least='' most='' best=''
    echo "$ROWS rows of $width; medians of $rounds runs of $steps steps."
    echo
    print_devices
    echo
    echo "| split | rows of each | makespan | imbalance of a step | of medians |" \
        "against equal | against ${nodes[$best]} alone |"
    echo "|---|---|---|---|---|---|---|"
    for way in "${ways[@]}"; do
        print_way "$way"
    done
    printf '| bound by the rates alone | | %.2f ms | 0%% | 0%% | %.3f | %.3f |\n' \
        "$(calculate "1000 * $ROWS / $sum")" \
        "$(calculate "$sum / (${#nodes[@]} * $least)")" "$(calculate "$sum / $most")"
}

# ---- ----

which_devices=add_cpus
[ "${1:-}" != --gpu ] || { which_devices=add_gpus_and_cpu && shift; }
[ $# = 1 ] || { sed -n '2,/^set -u/s/^# \{0,1\}//p' "$0" && exit 1; }
for program in "$gpucal" "$balance"; do
    [ -x "$program" ] || die "$program not found: run scripts/build.sh, or set BUILD to the build folder"
done
out=$1
mkdir "$out" || exit 1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export POCL_CACHE_DIR="$out/pocl"
trap '[ -z "$spinner" ] || kill "$spinner"; rm -rf "$out/pocl"' EXIT
$which_devices
calibrate
run_rounds
print_tables | tee "$out/tables.md"
