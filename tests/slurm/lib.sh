# lib.sh: what the tests on a Slurm cluster share.  Sourced with the paths of gpucal and of
# steady_device.so, whose times calibrations see, it makes a temporary folder with an empty
# store and two configurations, and goes there.
# shellcheck shell=bash
set -u

gpucal=$1
steady=$2
data=$(realpath "$(dirname "$0")/../data")
folder=$(mktemp -d "${TMPDIR:-/tmp}/gpucal-test.XXXXXX") || exit 1
trap 'rm -rf "$folder"' EXIT
trap 'exit 143' TERM
cd "$folder" && mkdir store || exit 1

# short.yaml ends as soon as all is known well enough; long.yaml never knows enough, and
# so measures until its budget is spent, which leaves time to meddle with it.
cp "$data/small.yaml" short.yaml
sed 's/noise: .*/noise: 1e-9/; s/max_samples: .*/max_samples: 10000/' short.yaml > long.yaml

fail() {
    echo "FAILED: $*"
    tail -n 30 ./*.out ./*.err
    exit 1
}

# A step of this allocation; several may run on one node.
calibrate() { # NAME n0[,n1] CONFIG [OPTION]...: output to NAME.out, messages to NAME.err
    local name=$1 nodes=$2 config=$3 commas=${2//[!,]/}
    shift 3
    LD_PRELOAD=$steady srun --overlap -N $((${#commas} + 1)) -w "$nodes" \
        --ntasks-per-node=1 "$gpucal" --config "$config.yaml" --store store --record "$name.h5" "$@" \
        > "$name.out" 2> "$name.err"
}

wait_for() { # SECONDS PATTERN FILE: until a line of FILE matches
    local polls=$(($1 * 10))
    until grep -q "$2" "$3" 2> /dev/null; do
        ((polls-- > 0)) || fail "no '$2' in $3 after $1 s"
        sleep 0.1
    done
}

list_published() {
    find store/nodes store/types store/history -type f -exec sha256sum {} + | sort
}

# The rank of a node is the gpucal that Slurm itself started; workers are its children.
rank_of() { # NODE
    local pid parent
    for pid in $(pgrep -x gpucal); do
        grep -qzx "SLURMD_NODENAME=$1" "/proc/$pid/environ" &&
            grep -qzxF "SLURM_CONF=$SLURM_CONF" "/proc/$pid/environ" &&
            parent=$(awk '/^PPid:/ { print $2 }' "/proc/$pid/status") &&
            grep -qx slurmstepd "/proc/$parent/comm" && echo "$pid"
    done
}
