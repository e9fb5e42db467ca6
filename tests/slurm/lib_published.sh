# lib_published.sh: what the tests share that need published nodes.
# Sourced with the paths of gpucal and of steady_device.so, whose times calibrations see; makes
# a temporary folder and goes there.
# shellcheck shell=bash
set -u

gpucal=$1
# shellcheck disable=SC2034
steady=$2
source=$(realpath "$(dirname "$0")/../..")
folder=$(mktemp -d "${TMPDIR:-/tmp}/gpucal-test.XXXXXX") || exit 1
trap 'rm -rf "$folder"' EXIT
trap 'exit 143' TERM
chmod 755 "$folder"
cd "$folder" && mkdir -p made store/nodes || exit 1
export GPUCAL_STORE=$folder/store GPUCAL=$gpucal GPUCAL_SETTINGS=$folder/slurm.env
unset GPUCAL_TRUSTED_KEYS GPUCAL_SPEEDS

fail() {
    echo "FAILED: $*"
    [ ! -e out ] || sed 's/^/out: /' out
    exit 1
}

# A node of two H200 that take FACTOR times as long as the type's fit.
publish() { # NODE FACTOR
    [ -s made/nodes/vm.yaml ] ||
        "$gpucal" fit --record "$source/tests/data/two-gpus/record.h5" --store made > out 2>&1 ||
        fail "the recorded run is not fitted"
    sed "s/^node: vm\$/node: $1/; s/^\( *factor:\) .*/\1 $2/" made/nodes/vm.yaml \
        > "store/nodes/$1.yaml"
}

shown() { # NODE NAME: a field of the node
    scontrol show node "$1" | sed -n "s/^ *$2=//p; s/.* \($2=[^ ]*\) .*/\1/p" |
        sed "s/^$2=//" | head -n 1
}

expect() { # NODE NAME VALUE
    local value
    value=$(shown "$1" "$2")
    # shellcheck disable=SC2053
    [[ $value = $3 ]] || fail "$1: $2 is '$value', expected '$3'"
}

await() { # SECONDS WHAT CONDITION...
    local polls=$(($1 * 5)) what=$2
    shift 2
    until "$@"; do
        ((polls-- > 0)) || fail "not $what in time"
        sleep 0.2
    done
}
