#!/bin/bash
# share.sh GPUCAL DATA - gpucal share: a kernel's work over an H100, an H200 and a CPU, as recorded
set -u
gpucal=$1 data=$2
work=$(mktemp -d "${TMPDIR:-/tmp}/gpucal-test.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
unset GPUCAL_TRUSTED_KEYS
export GPUCAL_STORE=$work/store XDG_CACHE_HOME=$work SLURMD_NODENAME=n1 OCL_ICD_VENDORS=/nonexistent
mkdir -p store/nodes

fail() {
    echo "FAILED: $*"
    cat out err
    exit 1
}
share() { "$gpucal" share triad.yaml --model general --divide "$@" > out 2> err; }
refused() { # PATTERN ARGUMENT...
    local pattern=$1
    shift
    share "$@" && fail "not refused: $*"
    [ ! -s out ] && grep -qE -- "$pattern" err || fail "no '$pattern'"
}
units() { awk -v node="$1" '$1 == node { print $(NF - 4) ~ /^[0-9]+$/ ? $(NF - 4) : $(NF - 2) }' out; }

i=0
for device in h100 h200 cpu; do
    sed "s/^node: vm$/node: n$((++i))/" "$data/general/$device.yaml" > store/nodes/n$i.yaml
done
cat > triad.cl << EOF
__kernel void triad(__global float *a, __global const float *b, __global const float *c, float s)
{
    size_t i = get_global_id(0);
    a[i] = b[i] + s * c[i];
}
EOF
"$gpucal" count triad.cl --local 256 --global n -o triad.yaml > out 2> err || fail "not counted"

# Two GPUs, whose errors are alike, end together.
share n=2^28 --nodes n1,n2 --granularity 256 || fail "two GPUs"
gpus=($(units n1) $(units n2))
[ $((gpus[0] + gpus[1])) = $((1 << 28)) ] && [ $((gpus[0] % 256)) = 0 ] || fail "shares ${gpus[*]}"
awk '$1 ~ /^n/ { time[$1] = $(NF - 3) } END { exit !(time["n1"] / time["n2"] > .99 && time["n1"] / time["n2"] < 1.01) }' out ||
    fail "they do not end together"
# The CPU is much slower, and its time less certain: it takes over less than its speed says.
share n=2^28 --nodes "n1 n2
n3" --granularity 256 --json || fail "three devices"
python3 - << EOF || fail "the CPU's share"
import json
division = json.load(open("out"))
units = {s["node"]: s["units"] for s in division["shares"]}
assert sum(units.values()) == 2**28 and division["divided"] == "n", units
assert units["n3"] < 2**28 / 100, units
assert division["expected_end_s"] > max(s["time_s"] for s in division["shares"])
EOF
# This node is the default, and one device gets all.
share n=4096 || fail "this node"
[ "$(units n1)" = 4096 ] && grep -q '^expected end of the last: [0-9.]* ms$' out || fail "not all"

refused 'nodes "\$\(scontrol show hostnames\)"' n=4096 --nodes 'n[1-3]'
refused 'node n7 is not calibrated; calibrated nodes: n1, n2, n3' n=4096 --nodes n1,n7
refused "no size 'm'; its sizes: n" m=4096
refused 'size n is given twice' n=4096 --at n=3
refused "none of the nodes' devices matches" n=4096 --device '*V100*'
refused '--divide n=1,2: one size is divided' n=1,2
refused 'granularity: expected a positive number' n=4096 --granularity 0
refused "share 0 with .*'n % 256 = 0' does not hold" n=4097
