# lib.sh: what the tests on a Slurm cluster share.  Sourced with the path of gpucal, it
# makes a temporary folder with an empty store and goes there.
# shellcheck shell=bash
set -u

gpucal=$1
small_yaml=$(realpath "$(dirname "$0")")/small.yaml
folder=$(mktemp -d "${TMPDIR:-/tmp}/gpucal-test.XXXXXX") || exit 1
trap 'rm -rf "$folder"' EXIT
trap 'exit 143' TERM
cd "$folder" && mkdir store || exit 1

fail() {
    echo "FAILED: $*"
    tail -n 30 ./*.out ./*.err
    exit 1
}

# A step of this allocation, on the first of its nodes; several may run on one node.
calibrate() { # NAME NODES [OPTION]...: output to NAME.out, messages to NAME.err
    local name=$1 nodes=$2
    shift 2
    srun -Q --overlap -N "$nodes" --ntasks-per-node=1 "$gpucal" \
        --config "$small_yaml" --store store --record "$name.h5" "$@" \
        > "$name.out" 2> "$name.err"
}

wait_for() { # SECONDS PATTERN FILE: until a line of FILE matches
    local polls=$(($1 * 10))
    until grep -q "$2" "$3" 2> /dev/null; do
        ((polls-- > 0)) || fail "no '$2' in $3 after $1 s"
        sleep 0.1
    done
}

# The rank of a node is the gpucal that Slurm itself started; workers are its children.
rank_of() { # NODE
    local pid
    for pid in $(pgrep -x gpucal); do
        grep -qzx "SLURMD_NODENAME=$1" "/proc/$pid/environ" &&
            grep -qzxF "SLURM_CONF=$SLURM_CONF" "/proc/$pid/environ" &&
            [ "$(ps -o comm= -p "$(ps -o ppid= -p "$pid")")" = slurmstepd ] && echo "$pid"
    done
}
