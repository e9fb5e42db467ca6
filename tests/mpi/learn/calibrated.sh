#!/bin/bash
# calibrated.sh - a store in which this machine's OpenCL devices have the general model of a CPU:
#   calibrated.sh GPUCAL CPU.yaml STORE
# Times of tests are made up, so no calibration of them would be good.
set -eu
gpucal=$1 params=$2 store=$3 node=${SLURMD_NODENAME:-$(hostname -s)}
value() { "$gpucal" devices --json | sed -n "s/^ *\"$1\": \"\?\(.*[^\"]\)\"\?,\$/\1/p" | head -n 1; }
uid=$(value uid) type=$(value type) lanes=$(value sub_group_size)
[ -n "$uid" ] && [ -n "$type" ]
[ -d "$store/nodes" ] || "$gpucal" store init --store "$store" > /dev/null
mkdir -p -m 755 "$store/nodes"
sed "s|^node: .*|node: $node|; s|uid: .*|uid: $uid|; s|^device: .*|device: $uid|; s|^  type: .*|  type: $type|
    s|^  sub_group_size: .*|  sub_group_size: $lanes|" \
    "$params" > "$store/nodes/$node.yaml"
