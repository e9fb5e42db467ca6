#!/bin/bash
# quickstart.sh: from a fresh clone to predicted kernel times: about a minute after the build.
#
#   scripts/quickstart.sh [OPTIONS]
#
# Installs missing packages by apt-get, builds, calibrates two nodes with
# `srun -N 2 gpucal --config models.yaml`, shows the published parameters, and predicts kernels
# that were not measured beside their measured times.  A running Slurm is used; otherwise a
# private one of two virtual nodes is started and stopped at the end (of one node if there is a
# GPU, which two nodes would share).  Without a GPU the devices are PoCL's, one core each.
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
child=''   # pid of what runs now

say() { printf '\n\033[1m==> %s\033[0m\n' "$*"; }
[ -t 1 ] || say() { printf '\n==> %s\n' "$*"; }

die() {
    echo "quickstart.sh: $*" >&2
    exit 1
}

# bash delays signals while a command runs in the foreground, but not during wait.  Each command
# has a process group of its own, so that clean_up reaches all its processes.
run() { # COMMAND...: prints and runs it, with its exit status
    local status

    echo "\$ $*"
    set -m
    "$@" < /dev/null &
    child=$!
    set +m
    wait "$child"
    status=$?
    child=''
    return "$status"
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
        echo "Slurm is running: using $nodes of its idle nodes"
        return
    fi
    ! gpucal devices --json | grep -q '"device_type": "gpu"' || nodes=1
    cluster=$(mktemp -d "${TMPDIR:-/tmp}/gpucal-quickstart.XXXXXX") || exit 1
    slurm/cluster.sh start -n "$nodes" -d "$cluster" || exit 1
    eval "$(slurm/cluster.sh env -d "$cluster")"
}

calibrate() {
    rm -f "$work/record.h5" "$work/record.h5".*
    # as in slurm/calibrate.sbatch; the site's default may be no MPI
    export SLURM_MPI_TYPE=pmix SLURM_PMIX_FENCE=tree
    run srun -N "$nodes" --ntasks-per-node=1 \
        gpucal --config "$config" --record "$work/record.h5"
}

# The first GPU, else the first device.
find_device() { # NODE: its type and uid
    awk '/^- uid:/ { uid = $3 } /^  device_type:/ { print $2, uid }' \
        "$GPUCAL_STORE/nodes/$1.yaml" | tr -d "'\"" | sort -s -r -k 1,1 | head -n 1
}

# Predicts a matrix product on the node whose parameters are used, so that it can be timed
# there.  The sizes lie between those of the catalogue's size sweep.
predict() { # NODE PREFETCH
    local type uid n=224

    read -r type uid < <(find_device "$1")
    [ "$type" = cpu ] || n=2560
    # By name, as that of a node of one busy core may be poor: then there is a warning
    run srun -Q -N 1 -w "$1" gpucal predict --node "$1" --device "$uid" --model "$model" \
        matmul_sq "prefetch:$2" n:$n --measure
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

    say "1. Packages"
    scripts/install-deps.sh || exit 1 # in the foreground: sudo may ask
    say "2. Build, into build/"
    run scripts/build.sh -t gpucal build -DBUILD_TESTING=OFF || exit 1
    built_s=$SECONDS
    export PATH=$top/build/mpi:$PATH GPUCAL_STORE
    mkdir -p "$work" "$GPUCAL_STORE" || exit 1
    say "3. Slurm"
    find_slurm
    say "4. Calibration: each node measures its devices, the first one fits and publishes"
    echo "The store is GPUCAL_STORE=$GPUCAL_STORE"
    calibrate || die "the calibration failed, with exit status $?"
    say "5. Published parameters"
    run gpucal show || exit 1
    node=$(basename "$(find "$GPUCAL_STORE/nodes" -name '*.yaml' | sort | head -1)" .yaml)
    say "6. Kernels that were not measured: predicted, and timed on $node"
    # -c may name a configuration whose models predict neither
    model=$(sed -n 's/^model: \(general\|matmul_sq\)$/\1/p' "$GPUCAL_STORE/nodes/$node.yaml" | tail -n 1)
    [ -z "$model" ] || { predict "$node" True && predict "$node" False; } || exit 1
    say "Done in $((SECONDS / 60)) min $((SECONDS % 60)) s, $((SECONDS - built_s)) s of it after the build"
    echo "The parameter files are in $GPUCAL_STORE/nodes, every timing in $work/record.h5"
}

main "$@"
