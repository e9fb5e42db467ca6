#!/bin/bash
# faults.sh: a campaign of faults of devices, and what becomes of calibrations.
#
#   scripts/faults.sh [-q | -m MINUTES] [-s SEED] [BUILD]
#
# Two nodes of one type are calibrated on PoCL, by two ranks, with times that follow from each
# launch, so that the true parameters are known; the second node has a fault: times of events,
# builds, hangs, crashes, wrong results, refused launches, a device that is gone, a slow one, a
# change of speed, two speeds in turn.
# After each run
#   - the first node is published with the true parameters, to 1 %;
#   - the second is published with those of its speed, to 2 %, or not at all, and named;
#   - the exit status says so, the store verifies, and no process is left.
# -q tries each fault once (about three minutes); else random faults for an hour or MINUTES.
# BUILD is the build folder (default: build).  Exit status 0: all as it should be, else 1, and
# the runs that were not are listed, with the commands that repeat them; all that they printed,
# their stores and the exit status of each rank are kept in BUILD/faults.
set -u
export LC_ALL=C # numbers with points, words in English
top=$(cd "$(dirname "$0")/.." && pwd)
minutes=60 quick='' seed=$$

die() {
    echo "faults.sh: $*" >&2
    exit 1
}

while getopts :qm:s:h option; do
    case $option in
    q) quick=1 ;;
    m) minutes=$OPTARG ;;
    s) seed=$OPTARG ;;
    h) sed -n '2,/^set -u/s/^# \{0,1\}//p' "$0" && exit 0 ;;
    *) die "unknown option -$OPTARG (see -h)" ;;
    esac
done
shift $((OPTIND - 1))
build=$(cd "${1:-$top/build}" && pwd) || die "no build folder"
gpucal=$build/mpi/gpucal
steady=$build/tests/mpi/libsteady_device.so faulty=$build/tests/mpi/libfaulty_device.so
for file in "$gpucal" "$steady" "$faulty"; do [ -e "$file" ] || die "$file is not built"; done

rm -rf "$build/faults"
work=$(mktemp -d "${TMPDIR:-/tmp}/gpucal-faults.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export POCL_DEVICES=basic POCL_CACHE_DIR=$work/pocl
export OMPI_MCA_btl=self,vader,tcp OMPI_MCA_btl_tcp_if_include=lo OMPI_MCA_oob_tcp_if_include=lo
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
unset GPUCAL_STORE GPUCAL_CATALOGUE GPUCAL_SIGN_KEY GPUCAL_TRUSTED_KEYS SLURMD_NODENAME
# The same sizes on devices of all speeds, so that the model's own errors are the same, and many
# samples, so that speeds change among them.
cat > slow.yaml <<'MODELS'
version: 1
devices: {kinds: [cpu, gpu]}
measure: {budget_s: 60, min_time_s: 1e-5, max_time_s: 1, min_samples: 20, max_samples: 20,
    noise: 1e-9, rungs: 4, kernel_limit_s: 60}
models:
  - name: flops
    output: f_cl_wall_time
    expression: p_add * f_op_float32_add + p_mul * f_op_float32_mul
    kernels:
      - {tags: [flops_add_pattern, "dtype:float32", "m:64,128,256,512"]}
      - {tags: [flops_mul_pattern, "dtype:float32", "m:64,128,256,512"]}
MODELS
export TEST_NS=0.25 TEST_RUN_ITEMS=10000 # times alone; checks are run
# Hangs end after some seconds; builds take no longer once they are in PoCL's cache.
sed 's/kernel_limit_s: 60/kernel_limit_s: 4/; s/budget_s: 60/budget_s: 20/' slow.yaml > models.yaml

cat > rank.sh <<'SCRIPT'
#!/bin/sh
# As a node of its own; the fault is the second one's.
[ "$OMPI_COMM_WORLD_RANK" = 1 ] || { unset FAULT TEST_LATE TEST_TWO; export TEST_NS=0.25; }
SLURMD_NODENAME=n$OMPI_COMM_WORLD_RANK LD_PRELOAD=$PRELOAD "$@"
status=$?
echo $status > "ended.$OMPI_COMM_WORLD_RANK"
exit $status
SCRIPT
chmod +x rank.sh
export PRELOAD=$faulty:$steady

# ---- one run ----

run() { # NAME=VALUE...
    rm -rf store run.h5* ended.*
    mkdir store
    env FAULT_SEED="$seed" "$@" timeout -k 5 300 mpirun -n 2 --oversubscribe ./rank.sh \
        "$gpucal" --config "$models" --store store --record run.h5 --json > out 2> err
    status=$?
}

parameters() { # NODE: p_add and p_mul
    sed -n 's/.*name: p_\(add\|mul\), value: \([^,]*\),.*/\2/p' "store/nodes/$1.yaml" 2> /dev/null |
        paste -sd' '
}

factor() { # NODE: its device factor
    sed -n 's/^ *factor: *\([0-9.e+-]*\).*/\1/p' "store/nodes/$1.yaml" | head -n 1
}

# True if NODE's parameters are the true ones times SPEED, to PERCENT.
agrees() { # NODE SPEED PERCENT
    awk -v got="$(parameters "$1")" -v true="$truth" -v speed="$2" -v most="$3" -v f="$(factor "$1")" 'BEGIN {
        n = split(got, g, " ")
        if (n != split(true, t, " ") || n == 0) exit 1
        for (i = 1; i <= n; i++) {
            off = g[i] * f / (t[i] * speed) - 1
            if (off > most / 100 || off < -most / 100) exit 1
        }
    }'
}

# What is wrong after the run, nothing if all is right.
judge() { # SPEED of the second node, NAME=VALUE...
    case $status in
    0 | 4 | 5) ;;
    124 | 137) echo "it did not end" && return ;;
    *) echo "exit status $status, of its ranks $(cat ended.* | paste -sd' '): $(grep gpucal: err | tail -n 1)" && return ;;
    esac
    agrees n0 1 1 || echo "the healthy node is wrong: $(parameters n0) instead of $truth"
    if [ -e store/nodes/n1.yaml ]; then
        # Of two speeds, 1 and 1.3, any between them, as it is said that there are two.
        { [[ $2 = TEST_TWO* ]] && agrees n1 1.15 15; } || agrees n1 "$1" 2 || echo "the other is wrong: $(parameters n1) instead of $1 times $truth"
    else
        [ $status != 0 ] || echo "the other is not published, and the exit status is 0"
        grep -q 'n1' out err || echo "the other is not named"
    fi
    [[ $2 != FAULT=clock97 ]] || grep -q 'n1 .*clock' err || echo "the clock is not named"
    [[ $2 != TEST_TWO* ]] || grep -q 'n1 .* became 1\..* times as' err ||
        echo "the two speeds are not named"
    [[ $2 != TEST_LATE* ]] || grep -q 'n1 .* became 1.3 times as slow' err ||
        echo "the change of speed is not named"
    "$gpucal" store verify --store store --quiet > verified 2>&1 && [ ! -s verified ] ||
        echo "the store: $(head -n 1 verified)"
    sleep 0.2
    [ -z "$(left_processes)" ] || echo "processes are left: $(left_processes)"
}

# Those that work in this folder.
left_processes() {
    local link
    for link in /proc/[0-9]*/cwd; do
        [ "$(readlink "$link" 2> /dev/null)" = "$work" ] || continue
        link=${link#/proc/}
        grep -qs gpucal "/proc/${link%/cwd}/comm" && echo -n "${link%/cwd} "
    done
}

n=0 n_bad=0
try() { # SPEED NAME=VALUE...
    local speed=$1 began=$SECONDS wrong
    shift
    run "$@"
    wrong=$(judge "$speed" "$@")
    n=$((n + 1))
    printf '%-28s status %-3s %3d s  %s\n' "$*" $status $((SECONDS - began)) \
        "$([ -e store/nodes/n1.yaml ] && echo published || echo named)"
    [ -n "$wrong" ] || return 0
    n_bad=$((n_bad + 1))
    mkdir -p "$build/faults/$n" && cp -r out err store run.h5* ended.* "$build/faults/$n" 2> /dev/null
    echo "WRONG: $* (seed $seed, kept in $build/faults/$n): ${wrong//$'\n'/; }"
    sed "s/^/    /" err | tail -n 12
}

# ---- the campaign ----

models=slow.yaml
run
[ $status = 0 ] || die "a run without a fault ends with $status: $(grep gpucal: err | tail -n 3)"
models=models.yaml
truth=$(parameters n0)
[ -n "$truth" ] || die "no parameters are published"
echo "true parameters: $truth"

kinds=(long zero short half reversed wrapped untimed build probe muls garbage log no_build hang
    late_hang segv abort exit wrong refused no_memory gone)
if [ -n "$quick" ]; then
    try 1 FAULT=none
    for kind in "${kinds[@]}"; do # the listing of devices waits for a minute for no_build
        [[ $kind =~ ^(no_build|reversed|wrapped)$ ]] || try 1 "FAULT=$kind"
    done
    for kind in long zero refused segv wrong; do try 1 "FAULT=$kind:0.01"; done
    try 1.3 TEST_NS=0.325
    try 4 TEST_NS=1
    try 1.3 TEST_LATE=120 TEST_GPU=1
    try 1.3 TEST_TWO=60 TEST_GPU=1
    try 0.97 FAULT=clock97 TEST_GPU=1
    try 1 FAULT=clock90 TEST_GPU=1 # more than any clock is off
    try 1 FAULT=clock60 TEST_GPU=1
    try 1 FAULT=clock110 TEST_GPU=1
    try 1 FAULT=clock150
else
    RANDOM=$seed
    while [ $SECONDS -lt $((60 * minutes)) ]; do
        seed=$((seed + 1))
        case $((RANDOM % 10)) in
        0) speed=$(awk -v n=$((RANDOM % 90 + 10)) 'BEGIN { print n / 20 }')
            try "$speed" "TEST_NS=$(awk -v s="$speed" 'BEGIN { print s / 4 }')" ;;
        1) try 1.3 TEST_LATE=$((RANDOM % 60 + 100)) TEST_GPU=1 ;; # a CPU has no speed to change
        *) chances=(1 0.3 0.1 0.03 0.01 0.003 0.001)
            try 1 "FAULT=${kinds[RANDOM % ${#kinds[@]}]}:${chances[RANDOM % ${#chances[@]}]}" ;;
        esac
    done
fi
echo "$n runs, $n_bad not as they should be, $SECONDS s"
[ $n_bad = 0 ]
