#!/bin/bash
# quickstart.sh: from a fresh clone to predicted kernel times: about a minute after the build.
#
#   scripts/quickstart.sh [OPTIONS]
#
# Installs missing packages by apt-get, builds, calibrates two nodes with
# `srun -N 2 gpucal --config models.yaml`, shows what one of them is like, predicts kernels on an
# H200 that need not be there, and predicts and measures twelve kernels here.  A running Slurm is
# used; otherwise a private one of two virtual nodes is started and stopped at the end (of one node
# if there is a GPU, which two nodes would share).  Without a GPU the devices are PoCL's, one core
# each.
#
#   -c FILE   what to measure and which models to fit (default: models.yaml)
#   -s DIR    the store to publish to (default: build/quickstart/store)
#   -h        this text
set -u
export LC_ALL=C # numbers with points, words in English

top=$(cd "$(dirname "$0")/.." && pwd)
work=build/quickstart # from the top folder, as all paths without /
config=models.yaml
nodes=2
cluster='' # set while a private one runs
slurm=''
child=''   # pid of what runs now

say() { printf '\033[1m==> %s\033[0m\n' "$*"; }
[ -t 1 ] || say() { printf '==> %s\n' "$*"; }

die() {
    echo "quickstart.sh: $*" >&2
    exit 1
}

# bash delays signals while a command runs in the foreground, but not during wait.  Each command
# has a process group of its own, so that clean_up reaches all its processes.
wait_for() { # COMMAND...: runs it, with its exit status
    local status

    set -m
    "$@" < /dev/null &
    child=$!
    set +m
    wait "$child"
    status=$?
    child=''
    return "$status"
}

# With all that it prints in the log, of which the end is shown if it fails.
quietly() { # WHAT COMMAND...
    local what=$1 start=$SECONDS
    shift

    printf '%s .. ' "$what"
    "$@" >> "$work/log" 2>&1 && echo "$((SECONDS - start)) s" && return
    printf 'failed\n' && tail -n 20 "$work/log" >&2
    die "$what: failed; all of its output is in $work/log"
}

# Prints a command and the first lines of what it prints.
show() { # LINES COMMAND...
    local lines=$1
    shift

    printf '$ %s\n' "${*@Q}" | sed "s/'\([-A-Za-z0-9_.,:/=*]*\)'/\1/g"
    wait_for "$@" > "$work/output" 2>> "$work/log" || { tail -n 5 "$work/log" >&2 && exit 1; }
    head -n "$lines" "$work/output"
}

clean_up() {
    trap '' HUP INT TERM
    [ -z "$child" ] || kill -TERM -- "-$child" 2> /dev/null
    [ -z "$cluster" ] || slurm/cluster.sh stop -d "$cluster"
    # an srun without its slurmctld would keep retrying
    [ -z "$child" ] || kill -KILL -- "-$child" 2> /dev/null
}

find_slurm() {
    local idle

    if idle=$(timeout 5 sinfo -h -N -t idle -o %n 2> /dev/null); then
        idle=$(sort -u <<< "$idle" | grep -c .)
        [ "$idle" -gt 0 ] || die "Slurm is running, but has no idle node (see sinfo)"
        nodes=$((idle < nodes ? idle : nodes))
        slurm="the running Slurm"
        return
    fi
    ! gpucal devices --json | grep -q '"device_type": "gpu"' || nodes=1
    slurm="a private Slurm, which ends with this script"
    cluster=$(mktemp -d "${TMPDIR:-/tmp}/gpucal-quickstart.XXXXXX") || exit 1
    slurm/cluster.sh start -n "$nodes" -d "$cluster" >> "$work/log" 2>&1 ||
        die "no Slurm could be started: see $work/log"
    eval "$(slurm/cluster.sh env -d "$cluster")"
}

calibrate() {
    rm -f "$work/record.h5" "$work/record.h5".*
    # as in slurm/calibrate.sbatch; the site's default may be no MPI
    export SLURM_MPI_TYPE=pmix SLURM_PMIX_FENCE=tree
    echo "\$ srun -N $nodes --ntasks-per-node=1 gpucal --config $config --record $work/record.h5"
    quietly "measured, fitted and published, on $slurm" wait_for srun -N "$nodes" --ntasks-per-node=1 \
        gpucal --config "$config" --record "$work/record.h5"
}

# By parameters that were calibrated on an H200, beside times that were taken on another one.
predict_h200() {
    local h200=tests/data/general/h200.yaml space=docs/examples/tune/product

    show 2 gpucal predict tests/cuda/linear.cu -k 'gemm_tiled<float, 32>' --block 32,32 \
        --grid n/32,n/32 --at n=4096 --params $h200
    awk -F '",|,' '$1 == "\"gemm_tiled<float" && $3 == "n=4096" {
        printf "measured on an H200: %.2f ms\n", 1000 * $4 }' tests/data/own-h200/cuda.csv
    show 7 gpucal tune $space.cl --space $space.yaml --best 2 --params $h200
    show 8 gpucal evaluate own_matmul own_nbody own_transpose n:2048 -C tests/own \
        --times tests/data/own-h200/sizes.csv --params $h200
}

# By the general model, also where it is poor, as on a busy core.
evaluate_here() { # NODE
    show 18 srun -Q -N 1 -w "$1" gpucal evaluate --node "$1" -C tests/own --model general quickstart
}

parse_options() {
    local option

    GPUCAL_STORE=$top/$work/store
    while getopts :c:s:h option; do
        case $option in
        c) config=$(realpath -e "$OPTARG") || exit 1 ;;
        s) GPUCAL_STORE=$(realpath -m "$OPTARG") ;;
        h) sed -n '2,/^set -u/s/^# \{0,1\}//p' "$0" && exit 0 ;;
        *) die "unknown option or missing value: -$OPTARG (see -h)" ;;
        esac
    done
    shift $((OPTIND - 1))
    [ $# = 0 ] || die "unexpected argument '$1' (see -h)"
}

main() {
    local node built_s

    [ "${1:-}" != --help ] || set -- -h
    parse_options "$@"
    cd "$top" || exit 1
    trap clean_up EXIT
    trap 'exit 129' HUP
    trap 'exit 130' INT
    trap 'exit 143' TERM

    mkdir -p "$work" && : > "$work/log" || exit 1
    say "Packages and build; what they print is in $work/log"
    quietly "packages" scripts/install-deps.sh # in the foreground: sudo may ask
    quietly "build" wait_for scripts/build.sh -t gpucal build -DBUILD_TESTING=OFF
    built_s=$SECONDS
    export PATH=$top/build/mpi:$PATH GPUCAL_STORE
    mkdir -p "$GPUCAL_STORE" || exit 1
    find_slurm
    say "Calibration of $nodes node$([ "$nodes" = 1 ] || echo s): what operations cost on each"
    calibrate
    node=$(basename "$(find "$GPUCAL_STORE/nodes" -name '*.yaml' | sort | head -1)" .yaml)
    say "This machine"
    show 12 gpucal show --node "$node"
    say "An H200, without one"
    predict_h200
    # -c may name a configuration with other models
    if grep -q '^model: general$' "$GPUCAL_STORE/nodes/$node.yaml"; then
        say "Twelve kernels that were not measured: predicted, then measured on $node"
        evaluate_here "$node"
    fi
    say "Done in $((SECONDS / 60)) min $((SECONDS % 60)) s, $((SECONDS - built_s)) s of it after the build"
    echo "Published: $GPUCAL_STORE/nodes; every timing: $work/record.h5; the log: $work/log
Next: gpucal predict YOUR.cl or YOUR.cu; docs/tutorial.md, and gpucal --help with PATH=$top/build/mpi:\$PATH"
}

main "$@"
