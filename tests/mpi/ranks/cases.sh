#!/usr/bin/env bash
# cases.sh - whole runs of the program on PoCL, one case a call:
#   cases.sh GPUCAL DATA CASE STEADY_DEVICE.SO
# Every case works in a folder of its own and looks at exit status, messages and files.  The
# device's times are those of steady_device.c, so that none of it depends on how busy the
# machine is.
set -u
gpucal=$1 data=$2 name=$3
export LD_PRELOAD=$4
simulated=${4%/*}/libsimulated_device.so
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0 # of the preloaded
work=$(mktemp -d "${TMPDIR:-/tmp}/gpucal-test.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export POCL_DEVICES=basic POCL_CACHE_DIR="${TMPDIR:-/tmp}/gpucal-test-pocl.$(id -u)"
export OMPI_MCA_btl=self,vader,tcp OMPI_MCA_btl_tcp_if_include=lo OMPI_MCA_oob_tcp_if_include=lo
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
unset GPUCAL_STORE GPUCAL_CATALOGUE SLURMD_NODENAME
mkdir store

fail() {
    echo "FAILED: $*"
    for f in out err; do [ -f $f ] && sed "s/^/$f: /" $f; done
    exit 1
}
run() { "$@" > out 2> err; status=$?; }
expect_status() { [ "$status" = "$1" ] || fail "exit status $status, expected $1"; }
expect_line() { grep -qE -- "$1" out err || fail "no line matches '$1'"; }
expect_file() { [ -s "$1" ] || fail "$1 is not there"; }
ranks() { mpirun -n "$1" --oversubscribe "${@:2}"; }
calibrate() { "$gpucal" --config "$data/small.yaml" --store store --record run.h5 "$@"; }
node() { hostname -s; }
# slow.yaml: the same with many samples.
slow_configuration() {
    sed 's/_samples: .*/_samples: 40/; s/noise: .*/noise: 1e-9/' "$data/small.yaml" > slow.yaml
}
# From this launch of a device on, runs wait until go_on: of slow.yaml, 100 is half way.
hold() { touch held && export TEST_HOLD=$1:$PWD/held; }
go_on() { rm -f held; }
# Until the command succeeds or the process has ended: of time limits there is CTest's alone.
await() { # PID COMMAND...
    while ! "${@:2}" && kill -0 "$1" 2> /dev/null; do sleep 0.02; done
}
await_word() { await "$1" grep -q "$2" "$3"; } # PID WORD FILE

case_plain_start() {
    # Without options it introduces itself, and measures nothing.
    run "$gpucal"
    expect_status 0
    expect_line '^Devices of this machine:$'
    expect_line '^  uid  *[^ ]'
    [ -z "$(ls *.h5* 2> /dev/null)" ] || fail "something was measured"
    # With times as they are, which a busy machine may spoil.
    LD_PRELOAD='' calibrate > out 2> err
    status=$?
    [ $status = 0 ] || { expect_status 4 && expect_line 'rejected'; }
    expect_file run.h5
    rm -r run.h5 store/*
    run calibrate
    expect_status 0
    expect_line '^gpucal: busy [0-9]+ % of [0-9.]+ s from first launch to last$'
    expect_file "store/nodes/$(node).yaml"
    expect_file run.h5
    [ ! -e run.h5.journal ] || fail "the journal was left behind"
    cp "store/nodes/$(node).yaml" published.yaml
    # The record gives the same numbers, to the byte, without a device.
    mkdir again
    run env OCL_ICD_VENDORS=/nonexistent "$gpucal" fit --record run.h5 --output again
    expect_status 0
    diff "again/$(node).yaml" published.yaml > out || fail "the replayed fit differs"
    run "$gpucal" show --store store
    expect_status 0
    expect_line ' cpu +20[-0-9]+ .* unknown$'
    run "$gpucal" show --parameters --store store
    expect_status 0
    expect_line 'p_add +[0-9.]+ [pn]s [+]- '
    run "$gpucal" audit --store store
    expect_status 0
    expect_line '^unknown: a device needs 4 calibrations with one driver'
    run "$gpucal" audit --store store --json --all
    expect_line '"worst": "unknown"'
    expect_line '"has": 1'
    run "$gpucal" show --store store --json
    expect_status 0
    expect_line '"form": "expression"'
    expect_line '"error_90": [0-9.]'
    run "$gpucal" predict --store store flops_add_pattern dtype:float32 m:24
    expect_status 0
    expect_line 'predicted .*s, 90 % interval .* to .*s .model flops.$'
}

case_three_ranks_one_device() {
    run ranks 3 "$gpucal" --config "$data/small.yaml" --store store --record run.h5
    expect_status 0
    expect_line '1 device, '
    expect_file "store/nodes/$(node).yaml"
}

case_three_nodes() {
    # Nodes are identified by name, so three ranks can stand for three nodes.
    cat > as-node.sh <<'SCRIPT'
#!/bin/sh
SLURMD_NODENAME=n$OMPI_COMM_WORLD_RANK exec "$@"
SCRIPT
    chmod +x as-node.sh
    run ranks 3 ./as-node.sh "$gpucal" --config "$data/small.yaml" --store store --record run.h5
    expect_status 0
    for n in n0 n1 n2; do expect_file store/nodes/$n.yaml; done
    expect_line '3 devices, .*3 nodes published'
    grep -q 'locks exclude nobody' err && fail "a warning about locks that work"
    # The same on a file system whose locks other nodes do not see.
    run ranks 2 env LD_PRELOAD="$LD_PRELOAD:${LD_PRELOAD%/*}/libfake_driver.so" TEST_NO_LOCKS=1 \
        ./as-node.sh "$gpucal" --config "$data/small.yaml" --store store --record unlocked.h5
    expect_status 0
    expect_line 'locks exclude nobody on other nodes: node n1 could take one that rank 0 on node n0'
}

case_links() {
    # Two ranks of each of two nodes: the links within them, and the one between them.
    cat > as-node.sh <<'SCRIPT'
#!/bin/sh
SLURMD_NODENAME=n$((OMPI_COMM_WORLD_RANK / 2)) exec "$@"
SCRIPT
    chmod +x as-node.sh
    run ranks 4 ./as-node.sh "$gpucal" --config "$data/small.yaml" --store store --record run.h5
    expect_status 0
    expect_line 'info: 3 links measured in [0-9.]+ s$'
    for n in n0 n1; do
        expect_file store/links/$n.yaml
        grep -q 'class: same node' store/links/$n.yaml && grep -q 'class: other node' store/links/$n.yaml ||
            fail "store/links/$n.yaml lacks a class"
    done
    run "$gpucal" show --store store --links
    expect_status 0
    expect_line '^same node +2 20.* [mun]?s +[0-9.]+ [kMG]?B/s '
    expect_line '^other node +1 20'
    run "$gpucal" show --store store --links --node n1
    expect_line '^  n0 - n1 .*[0-9] [mun]?s '
    expect_line '^  n1 - n1 .*[0-9] [mun]?s '
    run "$gpucal" store verify --store store
    expect_status 0
    expect_line '^good: '
    # A class that is not measured again stays; the record publishes the same as the run.
    cp -r store/links links
    run env SLURMD_NODENAME=n0 mpirun -n 2 --oversubscribe "$gpucal" --config "$data/small.yaml" \
        --store store --record second.h5
    expect_status 0
    cmp -s links/n0.yaml store/links/n0.yaml && fail "nothing was published"
    grep -A99 'class: other' links/n0.yaml | cmp - <(grep -A99 'class: other' store/links/n0.yaml) ||
        fail "the class of links to other nodes has changed"
    mkdir again
    run "$gpucal" fit --record run.h5 --store again
    expect_status 0
    diff -r links again/links > out || fail "the links of the record differ"
    # What somebody changes is found, and not used.
    sed -i 's/measured: 1/measured: 2/' store/links/n1.yaml
    run "$gpucal" store verify --store store
    expect_status 1
    expect_line '^damaged: links/n1.yaml differs from the published file'
    # Links that cannot be added to keep no device from being published.
    echo 'gpucal_links: 0' > store/links/n0.yaml
    run ranks 2 env SLURMD_NODENAME=n0 "$gpucal" --config "$data/small.yaml" --store store --record fourth.h5
    expect_status 0
    expect_line 'warning: links of node n0 are not published: cannot add to the published file'
    expect_line '1 node published'
    # A node that leaves takes its links along; none are measured in no time.
    run "$gpucal" store forget --node n1 --store store
    expect_status 0
    [ ! -e store/links/n1.yaml ] || fail "its links have stayed"
    run "$gpucal" store forget --node n0 --store store
    run "$gpucal" store verify --store store
    expect_status 0
    (cat "$data/small.yaml"; printf 'links:\n  budget_s: 0\n') > none.yaml
    run ranks 2 ./as-node.sh "$gpucal" --config none.yaml --store store --record third.h5
    expect_status 0
    grep -q 'links* measured' err && fail "links were measured"
}

case_links_of_a_hanging_rank() {
    # Rank 2 hangs in the first round: it loses its links, and nobody else does.
    cat > as-node.sh <<'SCRIPT'
#!/bin/sh
SLURMD_NODENAME=n$OMPI_COMM_WORLD_RANK exec "$@"
SCRIPT
    chmod +x as-node.sh
    run ranks 4 env TEST_HANGS=2 LD_PRELOAD="$LD_PRELOAD:${LD_PRELOAD%/*}/libhanging_link.so" \
        ./as-node.sh "$gpucal" --config "$data/small.yaml" --store store --record run.h5
    expect_status 5
    expect_line 'the link to node n2 rank 2 is not measured: it does not answer'
    expect_line 'node n2 rank 2: it does not answer while links are measured: its other links are left out'
    expect_line 'info: 3 links measured'
    expect_line '4 devices, .* 4 nodes published, lost: .*n2 rank 2'
    for n in n0 n1 n3; do expect_file store/links/$n.yaml; done
    [ ! -e store/links/n2.yaml ] || fail "links of the rank that hung are published"
}

case_slow_link() {
    # In a network of its own, where links have 1 Gbit/s and one has 100 Mbit/s (of root alone).
    # Links are told from each other by the port of the rank that takes the connection: that of
    # nodes 0 and 4 alone has rank 4's.
    unshare -n tc qdisc show > /dev/null 2>&1 || { echo 'no network namespaces here'; exit 77; }
    cat > network.sh <<'SCRIPT'
#!/bin/sh -e
ip link set lo up
tc qdisc add dev lo root handle 1: htb default 9
tc class add dev lo parent 1: classid 1:9 htb rate 1gbit burst 64k quantum 60000
for rank in 0 1 2 3 4; do
    case $rank in 4) rate=100mbit ;; *) rate=1gbit ;; esac
    tc class add dev lo parent 1: classid 1:1$rank htb rate $rate burst 64k quantum 60000
    for side in sport dport; do
        tc filter add dev lo parent 1: protocol ip prio 1 u32 \
            match ip $side $((11008 + 32 * rank)) 0xffe0 flowid 1:1$rank
    done
done
exec "$@"
SCRIPT
    cat > as-node.sh <<'SCRIPT'
#!/bin/sh
export OMPI_MCA_btl_tcp_port_min_v4=$((11008 + 32 * OMPI_COMM_WORLD_RANK)) OMPI_MCA_btl_tcp_port_range_v4=32
SLURMD_NODENAME=n$OMPI_COMM_WORLD_RANK exec "$@"
SCRIPT
    chmod +x network.sh as-node.sh
    export OMPI_MCA_btl=self,tcp
    run unshare -n ./network.sh mpirun -n 5 --oversubscribe ./as-node.sh "$gpucal" \
        --config "$data/small.yaml" --store store --record run.h5
    expect_status 0
    expect_line 'info: 10 links measured'
    # Where ranks wait for a processor, messages take longer than in any of these networks.
    mv err run.err
    run "$gpucal" show --store store --links
    grep -qE '^other node +10 .* ([89][0-9]|1[0-9][0-9])([.][0-9]+)? MB/s ' out ||
        { echo 'too busy to tell the links apart' && cat out && exit 77; }
    grep -q 'warning: link n0 - n4: messages take [0-9.]* times as long as on most of 10 links' run.err ||
        fail "the slow link is not named"
    expect_line '^  n0 - n4 .* ([6-9]|1[0-9])[.][0-9]+ MB/s '
}

case_simulated_device() {
    # What a simulated device measures is published to a store for simulations, and nothing else is.
    unset LD_PRELOAD
    export OCL_ICD_VENDORS=$simulated
    run calibrate --device 'Simulated device'
    expect_status 5
    expect_line 'Simulated device is simulated, and store store is not for simulations'
    [ ! -e "store/nodes/$(node).yaml" ] || fail "it was published"
    rm -f run.h5*
    touch store/simulated
    run calibrate --device 'Simulated device'
    expect_status 0
    grep -q '^  platform: gpucal simulation$' "store/nodes/$(node).yaml" || fail "it is not marked"
    # The record says so as well: published again, it needs such a store.
    mkdir real
    run "$gpucal" fit --record run.h5 --store real
    expect_status 1
    expect_line 'was simulated: its parameters are not published'
    rm -r store/nodes run.h5
    unset OCL_ICD_VENDORS
    run calibrate
    expect_status 5
    expect_line 'is not simulated, and store store is for simulations'
    [ ! -e "store/nodes/$(node).yaml" ] || fail "a real device is among simulated ones"
}

# A damaged file of one node stops no other node, and no type.
case_damaged_node() {
    cat > as-node.sh <<'SCRIPT'
#!/bin/sh
SLURMD_NODENAME=n$OMPI_COMM_WORLD_RANK exec "$@"
SCRIPT
    chmod +x as-node.sh
    mkdir -p store/nodes
    for n in n1 n2; do echo '{' > store/nodes/$n.yaml; done
    run ranks 4 ./as-node.sh "$gpucal" --config "$data/small.yaml" --store store --record run.h5
    expect_status 6
    expect_line 'n1.yaml.*n2.yaml|n2.yaml.*n1.yaml'
    for n in n0 n3; do expect_file store/nodes/$n.yaml; done
    [ -n "$(ls store/types)" ] || fail "no type is published"
    rm store/nodes/n3.yaml store/nodes/n2.yaml
    run ranks 4 ./as-node.sh "$gpucal" --config "$data/small.yaml" --store store --if-changed \
        --record changed.h5
    expect_status 5
    expect_line 'node n1 rank 1: .*n1.yaml'
    expect_line '2 nodes published, lost: n1 rank 1;'
    for n in n2 n3; do expect_file store/nodes/$n.yaml; done
    run env SLURMD_NODENAME=n1 "$gpucal" --config "$data/small.yaml" --store store --if-changed \
        --record one.h5
    expect_status 5
    [ ! -e one.h5.journal ] || fail "the journal was left behind"
}

# Nodes, numbers of devices and states of the kernels that were not measured, as sets, by 'out'.
failures() { # SETS
    python3 - "$1" << 'PYTHON' || fail "kernels that were not measured"
import json, sys
found = json.load(open("out"))["not_measured"]
sets = ", ".join(str({one[key] for one in found}) for key in ("node", "devices", "status"))
sys.exit(0 if sets == sys.argv[1] else f"{sets}, expected {sys.argv[1]}")
PYTHON
}

# Every device that was asked for is measured or named, with status 5.
case_device_without_results() {
    cat > as-node.sh <<'SCRIPT'
#!/bin/sh
[ "$OMPI_COMM_WORLD_RANK" = 0 ] || export TEST_NO_BUILD=1
SLURMD_NODENAME=n$OMPI_COMM_WORLD_RANK exec "$@"
SCRIPT
    chmod +x as-node.sh
    run ranks 2 ./as-node.sh "$gpucal" --config "$data/small.yaml" --store store --record run.h5
    expect_status 5
    expect_line '1 node published, lost: n1 .*; record'
    expect_line '^devices that could not be measured:$'
    expect_line '^  n1, .*: none of [0-9]+ kernels could be measured; flops_.*: build failed: '
    grep -q '^  n0, ' out && fail "the healthy node is named"
    run ranks 2 ./as-node.sh "$gpucal" --config "$data/small.yaml" --store store \
        --record again.h5 --quiet --json
    expect_status 5
    expect_line '"reason": "none of [0-9]+ kernels could be measured; '
    expect_line 'n1 rank 1: device .*: none of [0-9]+ kernels'
    failures "{'n1'}, {1}, {'build failed'}"
    # Kernels that fail on all devices are told apart.
    export TEST_NO_BUILD=1
    run ranks 2 ./as-node.sh "$gpucal" --config "$data/small.yaml" --store store --record all.h5
    expect_status 5
    expect_line '^  all 2 devices, flops_.*: build failed'
    grep -q '^  n[01], flops_' out && fail "a kernel is listed for each device"
    expect_line '^  n0, .*: none of '
    run ranks 2 ./as-node.sh "$gpucal" --config "$data/small.yaml" --store store \
        --record all2.h5 --quiet --json
    expect_status 5
    failures "{None}, {2}, {'build failed'}"
}

# Counts by a guess would be another number of operations, and its costs nobody's.
case_unknown_sub_group() {
    cat > as-node.sh <<'SCRIPT'
#!/bin/sh
[ "$OMPI_COMM_WORLD_RANK" = 0 ] || export FAULT=probe
SLURMD_NODENAME=n$OMPI_COMM_WORLD_RANK exec "$@"
SCRIPT
    chmod +x as-node.sh
    export LD_PRELOAD="${LD_PRELOAD%/*}/libfaulty_device.so:$LD_PRELOAD"
    run ranks 2 ./as-node.sh "$gpucal" --config "$data/small.yaml" --store store --record run.h5
    expect_status 5
    expect_line 'node n1 rank 1: device .*: the size of its sub-groups is unknown'
    expect_line '1 node published, lost: n1 rank 1; record'
    expect_file store/nodes/n0.yaml
    [ ! -e store/nodes/n1.yaml ] || fail "n1 is published"
    run env FAULT=probe "$gpucal" devices
    expect_status 0
    expect_line 'sub-groups of unknown size'
    # What was listed is there also if the driver hangs in its clean-up.
    run env FAULT=release timeout 30 "$gpucal" devices
    expect_status 0
    expect_line '^  uid  *[^ ]'
}

case_slow_device() {
    # One of three takes 1.3 times as long: it is named, and the others are as they are.
    cat > as-node.sh <<'SCRIPT'
#!/bin/sh
[ "$OMPI_COMM_WORLD_RANK" = 1 ] && export TEST_NS=13
SLURMD_NODENAME=n$OMPI_COMM_WORLD_RANK exec "$@"
SCRIPT
    chmod +x as-node.sh
    run ranks 3 ./as-node.sh "$gpucal" --config "$data/small.yaml" --store store --record run.h5 --json
    expect_status 0
    expect_line 'n1 [^ ]* is an outlier among the devices of its type'
    expect_line '"node": "n1"'
    mkdir again
    run "$gpucal" fit --record run.h5 --output again
    expect_status 0
    expect_line 'n1 [^ ]* alone: good'
    expect_line 'n1 [^ ]* is an outlier'
    for n in n0 n2; do
        expect_file "store/nodes/$n.yaml"
        grep -q '^ *factor: \(1\|1.00[0-9]*\|0.99[0-9]*\)$' "again/$n.yaml" || fail "$n has another factor"
    done
    expect_file store/nodes/n1.yaml
}

# As on a GPU: worker processes build programs for the one that measures.
case_built_ahead() {
    sed 's/kinds: .cpu./kinds: [gpu]/' "$data/small.yaml" > gpu.yaml
    export TEST_GPU=1 TMPDIR=$work/node
    unset POCL_CACHE_DIR
    mkdir node
    for run in first second; do
        run "$gpucal" --config gpu.yaml --store store --record $run.h5
        expect_status 0
        [ "$(nproc)" = 1 ] || [ $run = second ] ||
            expect_line 'info: [1-9][0-9]* of [0-9]+ programs were built ahead, by'
    done
    [ "$(nproc)" = 1 ] || expect_line 'info: [0-9]+ of [0-9]+ programs were built ahead, by [0-9]+ workers?; [1-9][0-9]* were known'
    [ -n "$(ls node/gpucal-drivers-*/pocl)" ] || fail "the driver has kept nothing"
    # Ten programs that other commands measure, too; for two, another worker does not pay.
    run "$gpucal" evaluate --store store int_ops_pattern m:4 nelements:65536
    expect_status 0
    [ "$(nproc)" = 1 ] || expect_line 'info: [1-9]0? of 10 programs were built ahead, by'
    run "$gpucal" evaluate --store store int_ops_pattern op:add,mul m:4 nelements:65536
    expect_status 0
    ! grep 'built ahead' err || fail "two programs were built ahead"
    # Without the folder, the run goes on.
    chmod 777 node
    rm -r node/*
    run env TMPDIR=/nonexistent HOME="$work" "$gpucal" --config gpu.yaml --store store --record third.h5
    expect_status 0
}

case_speed_change() {
    # A device that becomes 1.3 times as slow in mid-run: what it takes now is published.
    slow_configuration
    export TEST_GPU=1
    sed -i 's/kinds: .cpu./kinds: [gpu]/' slow.yaml
    run env TEST_LATE=130 "$gpucal" --config slow.yaml --store store --record run.h5 --json
    expect_status 0
    expect_line '"speed_changes": \['
    expect_line '"reason": ".* became 1.3 times as slow while it was measured.* took .*s, and then .*s; '
    expect_line '"before_s": '
    grep -q 'warning: .* became 1.3 times as slow' err || fail "no warning"
    run "$gpucal" fit --record run.h5
    expect_status 0
    expect_line '^lost: .* became 1.3 times as slow'
    expect_line 'warning: .* became 1.3 times as slow'
    cp "store/nodes/$(node).yaml" changed.yaml
    run env TEST_NS=13 "$gpucal" --config slow.yaml --store store --record steady.h5 --json
    expect_status 0
    expect_line '"speed_changes": \[\]'
    run "$gpucal" fit --record run.h5 --record steady.h5
    expect_status 0
    expect_line 'became 1.3 times as slow'
    for p in p_add p_mul; do
        awk -v p="name: $p, value:" '{ at = index($0, p) } at { print substr($0, at + length(p)) + 0 }' \
            changed.yaml "store/nodes/$(node).yaml" > values
        awk '{ v[NR] = $1 } END { exit !(NR == 2 && v[1] / v[2] > 0.99 && v[1] / v[2] < 1.01) }' values ||
            fail "$p is $(paste -sd' ' values)"
    done
}

# Devices of one rank are measured at the same time: both begin before one has ended.  What
# becomes of one does not matter to the other.
case_devices_at_once() {
    sed 's/kinds: .cpu./kinds: [gpu]/' "$data/small.yaml" > gpu.yaml
    sed 's/_samples: .*/_samples: 40/; s/noise: .*/noise: 1e-9/' gpu.yaml > slow.yaml
    hold 100
    export TEST_GPU=1 POCL_DEVICES='basic basic' GPUCAL_STORE=store
    # Not through a function: $! must be the program itself.
    "$gpucal" --config slow.yaml --record run.h5 > out 2> err &
    rank=$!
    both_are_measured() { [ "$(grep -c ': measuring' err)" = 2 ]; }
    await $rank both_are_measured
    kill -9 $rank
    wait $rank 2> /dev/null
    go_on
    [ "$(grep -cE '#[12]: measuring' err)" = 2 ] || fail "not both devices are measured"
    ! grep -q ' kernels in ' err || fail "one device after the other"
    run "$gpucal" --config slow.yaml --resume run.h5
    expect_status 0
    expect_line ': 2 devices, 1 fit .*, 1 node published, lost: none'
    mkdir again
    run "$gpucal" fit --record run.h5 --output again
    expect_status 0
    [ "$(grep -c 'device factor' out)" = 2 ] || fail "not both devices are in the record"
    "$gpucal" --config gpu.yaml --record two.h5 --json > out 2> err || fail "exit status $?"
    python3 -c 'import json; busy = json.load(open("out"))["busy"]
assert len(busy) == 2, busy
for b in busy:
    assert 0 < b["busy_s"] < b["span_s"], b
    assert abs(b["share"] - b["busy_s"] / b["span_s"]) < 1e-9, b' 2> err || fail "JSON"
    run env TEST_NO_BUILD=2 "$gpucal" --config gpu.yaml --record one.h5
    expect_status 5
    expect_line ': 2 devices, 1 fit .*, 1 node published, lost: '
    expect_line 'none of [0-9]+ kernels could be measured; flops_.*: build failed: '
}

case_absurd_device() {
    # What could not be published is found before it is measured.
    export LD_PRELOAD="$LD_PRELOAD:${LD_PRELOAD%/*}/libfake_driver.so"
    run env TEST_NAME="$(printf 'x%.0s' $(seq 300))" "$gpucal" --config "$data/small.yaml" \
        --store store --record run.h5
    expect_status 5
    expect_line 'device x+ \(.*\): .*cannot be the name of a device type'
    run env TEST_UNITS=18446744073709551615 "$gpucal" --config "$data/small.yaml" --store store --record run.h5
    expect_status 5
    expect_line 'compute_units: expected '
    [ ! -e run.h5 ] && [ ! -e run.h5.journal ] || fail "a record was left behind"
}

case_no_platform() {
    run env OCL_ICD_VENDORS=/nonexistent "$gpucal" --config "$data/small.yaml" --store store
    expect_status 5
    expect_line 'gpucal: .*OpenCL'
    run env OCL_ICD_VENDORS=/nonexistent "$gpucal" devices
    expect_status 5
}

case_no_device_matches() {
    run calibrate --device 'no such device'
    expect_status 5
    expect_line 'gpucal devices'
}

case_bad_configuration() {
    sed 's/budget_s/budget_z/' "$data/small.yaml" > bad.yaml
    run "$gpucal" --config bad.yaml --store store
    expect_status 1
    expect_line 'bad.yaml:5:3: .*budget_z.*budget_s'
    sed 's/p_add \*/p_add * */' "$data/small.yaml" > bad.yaml
    run "$gpucal" --config bad.yaml --store store
    expect_status 1
    expect_line 'bad.yaml:1[0-9]:[0-9]+: '
    sed 's/flops_add_pattern/flops_ad_pattern/' "$data/small.yaml" > bad.yaml
    run "$gpucal" --config bad.yaml --store store
    expect_status 1
    expect_line 'bad.yaml:1[0-9]:[0-9]+: .*flops_ad_pattern'
    head -c 300 "$data/small.yaml" > bad.yaml
    run "$gpucal" --config bad.yaml --store store
    expect_status 1
    run ranks 2 "$gpucal" --config bad.yaml --store store
    expect_status 1
    run "$gpucal" --config not-there.yaml
    expect_status 1
    expect_line 'not-there.yaml'
}

# Bars are one line each, however narrow the terminal is; a dumb one gets lines.
case_terminals() {
    local escape before key
    escape=$(printf '\033')
    for columns in 80 50; do
        script -qec "stty cols $columns rows 24; TERM=xterm '$gpucal' --config '$data/small.yaml' --store store" out \
            < /dev/null > /dev/null
        tr '\r' '\n' < out | sed "s/$escape\[[0-9]*[A-Z]//g" | grep -E ' \[[#.]{24}\]' > bars || fail "no bars"
        [ "$(wc -L < bars)" -lt "$columns" ] || fail "a bar is wrapped at $columns: $(cat bars)"
    done
    # The line of a search, too.
    for key in uid type; do
        before=$(sed -n "s/^[- ] $key: //p" "$data/general/cpu.yaml" | head -n 1)
        echo "s|$before|$("$gpucal" devices --json | jq -r ".[0].$key")|"
    done > edit
    sed -f edit "$data/general/cpu.yaml" > here.yaml
    cp "$data"/../../docs/examples/tune/product.* .
    script -qec "stty cols 40; TERM=xterm '$gpucal' tune product.cl --space product.yaml --params here.yaml \
        --at n=256 --measure 4" out < /dev/null > /dev/null
    tr '\r' '\n' < out | sed "s/$escape\[[0-9]*[A-Z]//g" | grep -E '^[0-9]+ of 22 timed' > bars || fail "no line of a search"
    [ "$(wc -L < bars)" -lt 40 ] || fail "the line of a search is wrapped: $(cat bars)"
    script -qec "TERM=dumb '$gpucal' --config '$data/small.yaml' --store store" out < /dev/null > /dev/null
    if grep -q "$escape" out; then fail "escape sequences for a dumb terminal"; fi
    grep -q ': measuring, 0 of ' out || fail "no lines on a dumb terminal"
}

case_store_missing() {
    run "$gpucal" --config "$data/small.yaml" --store not-there
    expect_status 6
    expect_line "store not-there: No such file or directory: if it is to be a new store, make it .'gpucal store init --store not-there'."
    touch a-file
    run "$gpucal" --config "$data/small.yaml" --store a-file
    expect_status 6
}

case_alien_files() {
    echo 'not an HDF5 file' > alien.h5
    run "$gpucal" fit --record alien.h5
    expect_status 1
    expect_line 'alien.h5'
    run "$gpucal" fit --record not-there.h5
    expect_status 1
    mkdir store/nodes
    echo '{' > "store/nodes/$(node).yaml"
    run "$gpucal" show --store store
    expect_status 1
    expect_line "$(node).yaml:"
}

case_two_at_once() {
    slow_configuration
    hold 100
    "$gpucal" --config slow.yaml --store store --record run.h5 > first.out 2>&1 &
    first=$!
    await_word $first measuring first.out
    run "$gpucal" --config "$data/small.yaml" --store store --record second.h5
    expect_status 5
    expect_line 'calibrat'
    go_on
    wait $first || { cat first.out; fail "the first run was disturbed"; }
    expect_file "store/nodes/$(node).yaml"
}

# The worker of this run's rank: a grandchild, exec'ed with the name of its sub-command.
worker_of() { pgrep -f "worker [0-9]+" | while read -r p; do
    pp=$(awk '{print $4}' "/proc/$p/stat"); [ "$(awk '{print $4}' "/proc/$pp/stat" 2> /dev/null)" = "$1" ] && echo "$p"; done | head -n 1; }

case_killed_worker() {
    slow_configuration
    hold 100
    # Not through a function: $! must be the program itself.
    "$gpucal" --config slow.yaml --store store --record run.h5 > out 2> err &
    rank=$!
    await_word $rank measuring err
    victim=$(worker_of $rank)
    [ -n "$victim" ] || fail "no worker found"
    kill -9 "$victim"
    go_on
    wait $rank
    status=$?
    # One kernel is marked; the rest is measured, fitted and published.
    [ $status = 0 ] || [ $status = 4 ] || fail "exit status $status"
    expect_line 'signal 9'
    expect_file run.h5
}

case_resume() {
    slow_configuration
    hold 100
    # Not through a function: $! must be the program itself.
    "$gpucal" --config slow.yaml --store store --record run.h5 > out 2> err &
    rank=$!
    await_word $rank measuring err
    kill -TERM $rank
    wait $rank 2> /dev/null
    status=$?
    expect_status 143
    expect_file run.h5.journal
    expect_line 'interrupted; what was measured is kept'
    read -r -a offered <<< "$(sed -n 's/.*launched as before: gpucal //p' err)"
    run "$gpucal" --config slow.yaml --store store --record run.h5
    expect_status 6
    expect_line 'resume'
    # The command that it offered, killed without a warning.
    [ "${offered[*]}" = "calibrate --config slow.yaml --store store --resume run.h5" ] ||
        fail "it offers '${offered[*]}'"
    "$gpucal" "${offered[@]}" > out 2> err &
    rank=$!
    await_word $rank measuring err
    kill -9 $rank
    wait $rank 2> /dev/null
    go_on
    run "$gpucal" "${offered[@]}"
    expect_status 0
    expect_file run.h5
    expect_file "store/nodes/$(node).yaml"
    run "$gpucal" --config slow.yaml --store store --resume run.h5
    expect_status 1
    expect_line "nothing to resume; .*'gpucal fit --record run.h5 --store DIR' publishes it"
}

# A device that is another now than when the run was interrupted is named, and not published.
case_resume_changed() {
    # All is measured, and the record cannot be written.
    slow_configuration
    hold 100
    "$gpucal" --config slow.yaml --store store --record run.h5 > out 2> err &
    rank=$!
    await $rank test -s run.h5.journal
    mkdir run.h5
    go_on
    wait $rank
    rmdir run.h5
    expect_file run.h5.journal
    cp run.h5.journal before.journal
    run env TEST_NS=13 "$gpucal" --config slow.yaml --store store --resume run.h5
    expect_status 5
    expect_line 'its speed is another than when the run was interrupted: .* calibrate it in a new'
    rm -f run.h5
    cp before.journal run.h5.journal
    run env LD_PRELOAD="$LD_PRELOAD:${LD_PRELOAD%/*}/libfake_driver.so" TEST_DRIVER=9.9 \
        "$gpucal" --config slow.yaml --store store --resume run.h5 --json
    expect_status 5
    expect_line '"reason": "its driver is .9.9., and was '
    rm -f run.h5
    cp before.journal run.h5.journal
    run env SLURMD_NODENAME=elsewhere "$gpucal" --config slow.yaml --store store --resume run.h5
    expect_status 5
    expect_line "lost: $(node) "
    expect_line "it is not among the devices of the run that resumed"
    expect_file store/nodes/elsewhere.yaml
    [ ! -e "store/nodes/$(node).yaml" ] || fail "a device that changed was published"
}

case_dry_run() {
    run calibrate --dry-run
    expect_status 0
    expect_line '  2 kernels, at up to 36 sizes together; about 4 are measured, by 16 to 48 launches'
    expect_line '  flops_add 18, flops_mul 18$'
    expect_line '  model flops: 2 parameters, from 4 kernels and sizes: determined$'
    run calibrate --dry-run --json
    expect_status 0
    jq -e '.devices[0] | .families == 2 and .launches_most == 48 and .models[0].determined and
        (.kernels | length) == 36' out > /dev/null || fail "JSON"
    run calibrate --dry-run --device cpu # a kind, as in other commands
    expect_status 0
    expect_line 'flops_add'
    [ ! -e run.h5 ] && [ ! -e run.h5.journal ] && [ -z "$(ls store)" ] || fail "something was written"
}

case_undetermined() {
    # p_half and p_add multiply the same feature: they are collinear.
    sed 's/p_mul \* f_op_float32_mul/p_half * 0.5 * f_op_float32_add/' "$data/small.yaml" > twin.yaml
    # A dry run finds it before anything is measured.
    run "$gpucal" --config twin.yaml --dry-run
    expect_status 4
    expect_line 'model flops: .*; NOT DETERMINED by them: p_add, p_half$'
    run "$gpucal" --config twin.yaml --store store --record run.h5
    expect_status 4
    expect_line 'p_half'
    [ ! -e "store/nodes/$(node).yaml" ] || fail "a number that nothing supports was published"
}

case_budget_too_short() {
    run calibrate --budget 0.3
    expect_status 5
    expect_line 'lost: .* \('
    expect_line 'none of [0-9]+ kernels could be measured; .*skipped: .*raise budget_s'
    expect_line 'not measured:'
    expect_line 'flops_.*: skipped: .*raise budget_s'
    [ ! -e "store/nodes/$(node).yaml" ] || fail "something was published"
}

# Kernels to count: a tiled product; and conditions that are affine, on data, and neither.
counted_kernels() {
    cat > mm.cl <<'KERNEL'
__kernel void mm(__global const float *a, __global const float *b, __global float *c, int n)
{
    __local float at[16][16], bt[16][16];
    int x = get_local_id(0), y = get_local_id(1);
    int row = get_global_id(1), col = get_global_id(0);
    float sum = 0;
    for (int k0 = 0; k0 < n; k0 += 16) {
        barrier(CLK_LOCAL_MEM_FENCE);
        at[y][x] = GPUCAL_TAG(aLD, a[row * n + k0 + x]);
        bt[y][x] = b[(k0 + y) * n + col];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 16; k++) sum += at[y][k] * bt[k][x];
    }
    c[row * n + col] = sum;
}
KERNEL
    cat > many.cl <<'KERNEL'
__kernel void many(__global float *a, int m)
{
    float x = get_global_id(0);
    for (int i = 0; i < m; i++) x += 1.5f;
    a[get_global_id(0)] = x;
}
KERNEL
    cat > guards.cl <<'KERNEL'
__kernel void guards(__global float *a, __global uint *bins, int n)
{
    int g = get_global_id(0);
    if (get_local_id(0) < 33) a[g] *= 1.5f;
#ifdef DATA
    if (a[g] > 0.5f) a[g] += 1.5f;
    atomic_inc(&bins[(uint)a[g]]);
#endif
#ifdef QUADRATIC
    if (g * g < n) a[g] /= 1.5f;
#endif
}
KERNEL
}

case_count_json() {
    counted_kernels
    run "$gpucal" count mm.cl --local 16,16 --global n,n --sub-group 32 --banks 32 --at n=512 --json
    expect_status 0
    python3 - out <<'PYTHON' > said 2>&1 || fail "$(cat said)"
import json, sys
all = json.load(open(sys.argv[1]))
assert all["kernel"] == "mm" and all["parameters"] == ["n"] and "notes" not in all, all
for f in all["features"]:
    assert f["granularity"] in ("work-item", "sub-group", "work-group", "kernel"), f
    assert isinstance(f["value"], int) and "sub_group" not in f["expression"], f
def one(start, **also):
    found = [f for f in all["features"]
             if f["feature"].startswith(start) and {**f, **also} == f]
    assert len(found) == 1, (start, found)
    return found[0]
madd = one("f_op_float32_madd")
assert madd["expression"] == "1/32*n^3" and madd["value"] == 512 ** 3 // 32, madd
a = one("f_mem_access_tag:aLD")
assert a["array"] == "a" and a["tag"] == "aLD" and a["space"] == "global", a
assert a["direction"] == "load" and a["vector_width"] == 1 and a["line"] == 9, a
assert a["lid_strides"] == {"0": "1", "1": "n"}, a
assert a["gid_strides"] == {"0": "0", "1": "16*n"}, a
assert a["loop_strides"] == [{"loop": "k0", "stride": "16"}], a
assert a["afr"] == "1/16*n" and a["expression"] == "1/16*n^3", a
assert a["granularity"] == "work-item" and a["value"] == 512 ** 3 // 16, a
load = one("f_mem_access_local", array="at", direction="load")
assert load["value"] == 512 ** 3 // 32 and load["bank_ways"] == 1, load
assert one("f_local_pass", array="bt", direction="store")["value"] == 512 ** 3 // 512
assert one("f_sync_barrier_local")["value"] == 64
assert one("f_work_items")["value"] == 512 * 512
assert one("f_memory_tag:mm")["value"] == 2 * 512 ** 3 // 16 + 512 ** 2
PYTHON
    # Without the sub-group size what needs it has no value, and that is said.
    run "$gpucal" count mm.cl --local 16,16 --global n,n --at n=512 --json
    expect_status 0
    expect_line 'no value without --sub-group'
    expect_line '"expression": "1/256\*n\^3\*ceil\(256/sub_group_size\)"'
    python3 - out <<'PYTHON' > said 2>&1 || fail "$(cat said)"
import json, sys
for f in json.load(open(sys.argv[1]))["features"]:
    assert (f["value"] is None) == ("sub_group_size" in f["expression"]), f
PYTHON
    # Twice the same, to the byte.
    "$gpucal" count mm.cl --local 16,16 --global n,n --at n=512 --json > again 2> err
    cmp out again > said || fail "$(cat said)"
}

case_count_estimates() {
    counted_kernels
    run "$gpucal" count guards.cl --local 65 --global n --sub-group 32 --at n=650
    expect_status 0
    expect_line '^  sub-group +20 +2/65\*n .*f_op_float32_mul'
    grep -q '^~' out && fail "an exact count is marked"
    run "$gpucal" count guards.cl --local 65 --global n --at n=650
    expect_status 0
    expect_line '^~ sub-group +- .*f_op_float32_mul'
    expect_line '^  4:[0-9]+: only some work-items'
    run "$gpucal" count guards.cl --local 65 --global n --sub-group 32 -D DATA=1 --json
    expect_status 0
    expect_line '"notes"'
    expect_line '"6:[0-9]+: '
    expect_line '"feature": "f_atomic_global_uint32_inc"'
    expect_line '"estimated": true'
    run "$gpucal" count guards.cl --local 65 --global n -D QUADRATIC
    expect_status 0
    expect_line '^~ sub-group .*f_op_float32_div'
    expect_line '^  10:[0-9]+: '
    cat > shrink.cl << 'SOURCE'
kernel void f(global float *a, int n, float w)
{
    for (int s = n; s > 1; s = s * 2 / 3)
        a[get_global_id(0)] += w;
}
SOURCE
    run "$gpucal" count shrink.cl -l 64 -g 64*g
    expect_status 1
    expect_line 'it can be counted with --assume'
    run "$gpucal" count shrink.cl -l 64 -g 64*g --at n=40,w=0.5,g=3
    expect_status 0
    expect_line '^kernel f, assuming n = 40 and g = 3$'
    expect_line '^  work-item +1344 .*store' # 40, 26, 17, 11, 7, 4, 2: 7 of 192 work-items
    run "$gpucal" count shrink.cl -l 64 -g 64*g --at n=40,100,g=3
    expect_status 0
    expect_line '^kernel f, assuming n = 40 and g = 3$'
    expect_line '^kernel f, assuming n = 100 and g = 3$'
    run "$gpucal" count mm.cl --local 16,16 --global n,n --banks 32
    expect_status 1
    expect_line 'sub-group'
    run "$gpucal" count mm.cl --local 16,16 --global n,n --sub-group 32 --at m=3
    expect_status 1
    expect_line "'m' is not a size or an argument of kernel 'mm'; there are: n, a, b, c$"
    run "$gpucal" count mm.cl --local 16,16 --global n,n --sub-group 32 --at n=500
    expect_status 1
    expect_line "'n % 16 = 0' does not hold"
    run "$gpucal" count mm.cl --local 16,16 --global n,n -o not-there/mm.yaml
    expect_status 1
    expect_line "not-there/mm.yaml: No such file"
    run "$gpucal" count mm.cl --local 16,16 --global n,n -o /dev/full
    expect_status 1
    expect_line "/dev/full: No space left"
    run "$gpucal" count mm.cl --local 16,16 --global n,n --trips x:7
    expect_status 1
    expect_line 'trips: expected a line and a name'
}

# Whether after.json has exactly the loads of these arrays, or the on-chip work, that
# before.json has: counts, strides and all but where they stand.  The sum's own additions
# are left out.
compare_counts() { # FORM [ARRAY]...
    python3 - "$@" <<'PYTHON' > said 2>&1 || fail "$(cat said)"
import json, sys
form, arrays = sys.argv[1], sys.argv[2:]
def work(path, wanted):
    found = []
    for f in json.load(open(path))["features"]:
        if wanted(f):
            found.append({k: v for k, v in f.items() if k not in ("line", "column")})
    return sorted(found, key=lambda f: json.dumps(f, sort_keys=True))
def is_access(f): return f["feature"].startswith("f_mem_access")
def is_load(f): return is_access(f) and f["direction"] == "load"
def is_global(f): return is_access(f) and f["space"] == "global"
def is_on_chip(f):
    return (is_access(f) and f["space"] == "local" or
            f["feature"] in ("f_op_float32_madd", "f_sync_barrier_local"))
if form == "loads":
    kept = work("before.json", lambda f: is_load(f) and f["array"] in arrays)
    assert len(kept) == len(arrays), kept
    assert work("after.json", is_load) == kept, work("after.json", is_load)
    assert not work("after.json", is_on_chip)
else:
    kept = work("before.json", is_on_chip)
    assert len(kept) == 6, kept
    assert work("after.json", is_on_chip) == kept, work("after.json", is_on_chip)
    assert not work("after.json", lambda f: is_global(f) and is_load(f))
stores = work("after.json", lambda f: is_global(f) and not is_load(f))
assert [(f["array"], f["expression"]) for f in stores] == [("read_tgt_dest", "n^2")], stores
PYTHON
}

case_remove() {
    counted_kernels
    ndrange=(--local 16,16 --global n,n)
    count() { run "$gpucal" count "$1" "${ndrange[@]}" --sub-group 32 --json; expect_status 0; cp out "$2"; }
    count mm.cl before.json
    run "$gpucal" count mm.cl "${ndrange[@]}" --remove --keep b -o after.cl
    expect_status 0
    [ ! -s out ] || fail "the kernel went to standard output, too"
    count after.cl after.json
    compare_counts loads b
    "$gpucal" count mm.cl "${ndrange[@]}" --remove --keep aLD > after.cl
    cp after.cl same.cl
    count after.cl after.json
    compare_counts loads a
    "$gpucal" remove mm.cl "${ndrange[@]}" --keep aLD > after.cl # the older word
    cmp after.cl same.cl || fail "remove is not count --remove"
    "$gpucal" count mm.cl "${ndrange[@]}" --remove --keep b,aLD --accumulators 4 > after.cl
    cp after.cl four.cl
    count after.cl after.json
    compare_counts loads a b
    "$gpucal" count mm.cl "${ndrange[@]}" --remove > after.cl
    cmp -s after.cl four.cl && fail "four accumulators are the same as one"
    count after.cl after.json
    compare_counts loads a b
    "$gpucal" count mm.cl "${ndrange[@]}" --remove --on-chip > after.cl
    count after.cl after.json
    compare_counts onchip
    # What cannot be kept.
    run "$gpucal" count mm.cl "${ndrange[@]}" --remove --keep b,d
    expect_status 1
    expect_line "mm.cl: .*'d'; the loads are: a, aLD, b"
    run "$gpucal" count mm.cl "${ndrange[@]}" --remove --on-chip --keep b
    expect_status 1
    expect_line 'on-chip'
    run "$gpucal" count mm.cl "${ndrange[@]}" --remove --accumulators 0
    expect_status 1
    expect_line 'accumulators: expected a number from 1 to 64'
    run "$gpucal" count mm.cl --local 16,16 --remove
    expect_status 1
    expect_line 'missing: the global size'
    cat > gather.cl <<'KERNEL'
__kernel void gather(__global const int *from, __global const float *x, __global float *y)
{
    int g = get_global_id(0);
    y[g] = x[from[g]];
}
KERNEL
    run "$gpucal" count gather.cl --local 64 --global n --remove --keep x
    expect_status 1
    expect_line 'gather.cl:4:[0-9]+: '
    run "$gpucal" count gather.cl --local 64 --global n --remove --keep x,from -o not-there/after.cl
    expect_status 1
    expect_line 'not-there/after.cl: '
    run "$gpucal" count mm.cl "${ndrange[@]}" --keep b
    expect_status 1
    expect_line 'keep requires --remove'
    run "$gpucal" count mm.cl "${ndrange[@]}" --remove --json
    expect_status 1
    expect_line 'remove prints a kernel'
}

# Counted kernels as configurations, each at several sizes.
case_tune_profiles() {
    run calibrate
    expect_status 0
    cat > adds.cl <<'KERNEL'
__kernel void adds(__global float *a, int m)
{
    float x = a[get_global_id(0)];
    for (int i = 0; i < m; i++) x += 1.5f;
    a[get_global_id(0)] = x;
}
KERNEL
    run "$gpucal" count adds.cl --local 64 --global n -o adds.yaml
    expect_status 0
    cp adds.yaml same.yaml
    run "$gpucal" rank --store store --profile adds.yaml --profile same.yaml --at n=65536,m=400000 # the older word
    expect_status 0
    expect_line '^adds on .* of node .*, model flops$'
    expect_line '^ +1 .* 1.000 +- +profile:adds.yaml$'
    expect_line '^ +2 .* 1.000 +50 % +profile:same.yaml$'
    expect_line '^probability that the first is the fastest: 50 %'
    run "$gpucal" tune --params "store/nodes/$(node).yaml" --model flops --device '*' --profile adds.yaml \
        --at n=65536,m=400000,800000 --json
    expect_status 0
    python3 - out <<'PYTHON' > said 2>&1 || fail "$(cat said)"
import json, sys
r = json.load(open(sys.argv[1]))
a, b = r["ranking"]
assert r["parameters"] == {"profile": ["adds.yaml"], "m": [400000, 800000], "n": [65536]}, r
assert (a["place"], b["place"]) == (1, 2) and a["configuration"]["m"] == 400000, r
assert a["low_s"] < a["time_s"] < a["high_s"] and 1.9 < b["time_s"] / a["time_s"] < 2.1, r
assert 0 <= b["probability_faster_than_first"] < 0.5 and a["probability_faster_than_first"] is None, r
assert abs(r["probability_first_is_fastest"] - 1 + b["probability_faster_than_first"]) < 0.01, r
PYTHON
    # With fewer additions, the load and the store, which have no cost, matter; without
    # any, nothing is left to predict.
    run "$gpucal" tune --store store --profile adds.yaml --at n=65536,m=50 --at n=65536,m=400000 --at n=65536,m=1
    expect_status 0
    expect_line '^ +1 +[0-9.]+ m?s[ *] .* - +m:400000$'
    expect_line '^ +- +[0-9.]+ [mu]s! .* - +m:50$'
    expect_line '^ +- +none +m:1$'
    expect_line '^! not ranked: 1 with work'
    expect_line '^not predicted: 1, the first: model flops has no cost for 66.7 % of the work of kernel adds '
    run "$gpucal" tune --store store --profile adds.yaml --at n=65536,m=50 --at n=65536,m=1 --json
    expect_status 0
    expect_line '"not_covered": 0.0384'
    expect_line '"not_predicted": "model flops has no cost for 66.7 % of the work'
    run "$gpucal" tune --store store --profile adds.yaml --at n=65536,m=1
    expect_status 1
    expect_line '^gpucal: adds: model flops has no cost for 66.7 % of the work'
    # What cannot be ranked.
    at=(--profile adds.yaml --at n=65536,m=400000)
    run "$gpucal" tune --store store "${at[@]}" --model nothing
    expect_status 1
    expect_line 'no model nothing; models: flops'
    run "$gpucal" tune --store store --node elsewhere "${at[@]}"
    expect_status 1
    expect_line "elsewhere"
    run "$gpucal" tune --store store --profile adds.yaml
    expect_status 1
    run "$gpucal" tune --store store --profile adds.yaml --profile nothing.yaml --at n=65536,m=400000
    expect_status 1
    expect_line 'nothing.yaml: '
    run "$gpucal" tune --store store flops_add_patern
    expect_status 1
    expect_line "did you mean"
    run "$gpucal" tune --store store flops_add_pattern "${at[@]}"
    expect_status 1
    expect_line 'expected either tags, '
    run "$gpucal" tune --store store "${at[@]}" --measure 3
    expect_status 1
    expect_line 'profile excludes '
    run "$gpucal" tune --store store --params adds.yaml "${at[@]}"
    expect_status 1
    run "$gpucal" tune --params adds.yaml "${at[@]}"
    expect_status 1
    expect_line 'adds.yaml:'
}

# What the CSV file says, against its own lines for kernels.
compare_figures() { # CSV KERNELS SETS
    python3 - "$@" <<'PYTHON' > said 2>&1 || fail "$(cat said)"
import csv, math, sys
rows = list(csv.DictReader(open(sys.argv[1])))
n, n_sets = int(sys.argv[2]), int(sys.argv[3])
assert all(None not in r and None not in r.values() for r in rows), rows
kernels = [r for r in rows if r["level"] == "kernel"]
counting = [r for r in kernels if r["kernels"] == "1"]
assert len(kernels) == n, kernels
for r in counting:
    p, m = float(r["predicted_s"]), float(r["measured_s"])
    assert abs(float(r["error_percent"]) - 100 * (p / m - 1)) < 1e-4, r
    assert float(r["low_s"]) <= p <= float(r["high_s"]), r
    assert (r["inside"] == "1") == (float(r["low_s"]) <= m <= float(r["high_s"])), r
    assert r["form"] == "expression" and r["status"] == "good" and int(r["samples"]) >= 1 and r["detail"] == "", r
def compare(r, of):
    if not of: # nothing was predicted
        assert r["error_percent"] == "" and r["kernels"] == "0", r
        return
    mean = math.exp(sum(math.log(abs(float(k["error_percent"]))) for k in of) / len(of))
    assert abs(float(r["error_percent"]) / mean - 1) < 1e-4, (r, mean)
    assert int(r["kernels"]) == len(of) and int(r["inside"]) == sum(k["inside"] == "1" for k in of), r
for r in rows:
    if r["level"] == "variant":
        compare(r, [k for k in counting if (k["model"], k["variant"]) == (r["model"], r["variant"])])
    elif r["level"] == "model":
        compare(r, [k for k in counting if k["model"] == r["model"]])
[every] = [r for r in rows if r["level"] == "all"]
compare(every, counting)
sets = [r for r in rows if r["level"] == "set"]
assert len(sets) == n_sets == int(every["sets"]), sets
for column in "found", "ties", "pairs", "ordered":
    assert sum(int(s[column]) for s in sets) == int(every[column]), (column, every)
for s in sets:
    times = sorted((float(k["measured_s"]), float(k["predicted_s"])) for k in counting
                   if (k["model"], k["sizes"]) == (s["model"], s["sizes"]))
    chosen = min(times, key=lambda t: t[1])
    assert len(times) == int(s["kernels"]) and float(s["measured_s"]) == chosen[0], s
    assert abs(float(s["loss_percent"]) - 100 * (chosen[0] / times[0][0] - 1)) < 1e-4, s
    assert abs(float(s["lead_percent"]) - 100 * (times[1][0] / times[0][0] - 1)) < 1e-4, s
    assert (s["ties"] == "1") == (float(s["lead_percent"]) < 2), s
    assert (s["found"] == "1") == (float(s["loss_percent"]) < 2), s
PYTHON
}

case_evaluate() {
    run calibrate
    expect_status 0
    # Of the second type the model knows nothing.
    tags=(flops_add_pattern dtype:float32,float64 m:8,12 nelements:65536,131072)
    run "$gpucal" evaluate --store store "${tags[@]}" --record e.h5 --csv e.csv
    expect_status 0
    expect_line '^model flops \(expression\)$'
    expect_line '^  flops_add dtype:float32 lsize_0:256 groups_fit:True$'
    expect_line ' [0-9.]+ [mu]s +[-+][0-9.]+ % +[-o ]*[|X][-o ]*.*nelements:131072$'
    expect_line 'not predicted: model flops has no cost for 100 % of the work of kernel flops_add'
    expect_line '^all: 4 kernels, geometric mean error [0-9.]+ %'
    compare_figures e.csv 8 0
    # The record gives the same without a device.
    mv out first.out
    run env OCL_ICD_VENDORS=/nonexistent "$gpucal" evaluate --store store --replay e.h5 --csv again.csv
    expect_status 0
    diff first.out out > said || fail "$(cat said)"
    cmp e.csv again.csv > said || fail "$(cat said)"
    run "$gpucal" evaluate --params "store/nodes/$(node).yaml" --replay e.h5 flops_add dtype:float32 m:8,16 --csv some.csv
    expect_status 0
    compare_figures some.csv 2 0
    # The kernels of the calibration, of two generators, which have the same sizes.
    run "$gpucal" evaluate --store store --replay run.h5 flops_add flops_mul --csv both.csv
    expect_status 0
    expect_line '^  flops_mul dtype:float32 '
    # What cannot be evaluated.
    run "$gpucal" evaluate --store store --replay run.h5
    expect_status 1
    expect_line 'no kernel was measured as a target of a model'
    run "$gpucal" evaluate --store store --replay e.h5 flops_mul
    expect_status 1
    expect_line 'the tags select no measured kernel'
    run "$gpucal" evaluate --store store --replay e.h5 --model nothing
    expect_status 1
    expect_line 'no model nothing; models: flops'
    run "$gpucal" evaluate --store store --config "$data/small.yaml"
    expect_status 1
    expect_line 'predict no kernel'
    run "$gpucal" evaluate --store store flops_add_patern
    expect_status 1
    expect_line 'did you mean'
    run "$gpucal" evaluate --store store/nodes
    expect_status 1
    run "$gpucal" evaluate --store store --node elsewhere
    expect_status 1
    expect_line elsewhere
    run env OCL_ICD_VENDORS=/nonexistent "$gpucal" evaluate --store store "${tags[@]}"
    expect_status 5
    run "$gpucal" evaluate --store store --replay not-there.h5
    expect_status 1
    expect_line 'not-there.h5'
    run "$gpucal" evaluate --store store "${tags[@]}" --record not-there/e.h5
    expect_status 6
    run "$gpucal" evaluate --store store --replay e.h5 --csv /dev/full
    expect_status 1
    expect_line '/dev/full: No space left'
    run "$gpucal" evaluate --store store --replay e.h5 --record f.h5
    expect_status 1
    # Another device's record.
    sed 's/^  type: .*/  type: another-gpu-7cu/; s/uid: .*/uid: uuid:7/
        s/^device: .*/device: uuid:7/' "store/nodes/$(node).yaml" > other.yaml
    run "$gpucal" evaluate --params other.yaml --replay e.h5
    expect_status 1
    expect_line 'the record has neither device .* nor another of its type .another-gpu-7cu'
    run "$gpucal" evaluate --params other.yaml "${tags[@]}"
    expect_status 5
    expect_line 'this machine has neither device'
}

case_count_predict() {
    counted_kernels
    run calibrate
    expect_status 0
    run "$gpucal" predict --store store guards.cl --local 65 --global n --at n=650 -D DATA
    expect_status 1
    expect_line 'model flops has no cost for [78][0-9.]+ % of the work of kernel guards .*f_mem_access_'
    grep -q 'only some work-items' err && fail "not counted for the device's sub-groups"
    run "$gpucal" count guards.cl --local 65 --global n -D DATA -o data.yaml --allow-estimates
    expect_status 0
    expect_line '^ +6:9: both sides were counted'
    run "$gpucal" count guards.cl --local 65 --global n -o any.yaml
    expect_status 0
    run "$gpucal" predict --store store --profile any.yaml --at n=650
    expect_status 1
    expect_line 'model flops has no cost for 6[0-9.]+ % of the work of kernel guards .*f_mem_access_'
    cp err of_profile
    run "$gpucal" predict --store store guards.cl --local 65 --global n --at n=650
    expect_status 1
    cmp -s <(grep -o 'model flops .*' err) <(grep -o 'model flops .*' of_profile) || fail "a profile is not its source"
    run "$gpucal" predict --store store many.cl --local 64 --global n --at n=65536,m=500000
    expect_status 0
    expect_line 'predicted [0-9.]+ [mun]?s, 90 % interval .* .model flops.$'
    expect_line '^not covered: model flops has no cost for this work'
    expect_line '^ +0.0002 % of all work: 6.554e.04 of f_mem_access_global_float32_store'
    expect_line '^extrapolated: f_op_float32_(add|mul) is [0-9.e+]+ times the largest calibrated value$'
    run "$gpucal" predict --store store many.cl --local 64 --global n --at n=65536,m=500000 --json
    expect_status 0
    expect_line '"low_s": [0-9]'
    expect_line '"model": "flops"'
    expect_line '"not_covered": [0-9.]+e-0?6'
    expect_line '"share": [0-9.]+e-0?6'
    expect_line '"outside": "f_op_float32_(add|mul)"'
    run "$gpucal" count guards.cl --local 65 --global n --sub-group 4096 -o other.yaml
    expect_status 0
    run "$gpucal" predict --store store --profile other.yaml --at n=650
    expect_status 1
    expect_line "counted for other sub-groups than the device's"
}

# A catalogue of one's own: a kernel that is right, one that is wrong in element 37, one that
# no device's compiler builds, and one that no device has the local memory for.
own_catalogue() {
    mkdir own
    cat > own/twice.cl <<'KERNEL'
kernel void twice(global const T *x, global T *y)
{
    local T t[ROOM];
    int i = get_global_id(0), l = get_local_id(0);
    t[l] = 2 * x[i];
#if WRONG == 1
    if (i == 37) t[l] += 1;
#endif
#if WRONG == 2 && defined(POCL_DEVICE_ADDRESS_BITS)
#error not with this compiler
#endif
    barrier(CLK_LOCAL_MEM_FENCE);
    y[i] = t[l];
}
KERNEL
    cat > own/twice.yaml <<'DESCRIPTION'
gpucal_kernel: 1
name: twice
tags: [twice_pattern]
source: twice.cl
kernel: twice
arguments:
  dtype: {values: [float32, float64, int32], default: [float32]}
  wrong: {values: [0, 1, 2], default: [0]}
  room: {values: [64, 16777216], default: [64]}
  n: {ladder: [65536, 262144, 1048576, 4194304, 16777216]}
defines: {T: dtype, WRONG: wrong, ROOM: room}
local_size: [64]
global_size: [n]
args:
  - {name: x, buffer: dtype, elements: n}
  - {name: y, buffer: dtype, elements: n, output: true}
assume: n % 64 = 0 and n >= 64
check: {n: 128}
reference: |
  void reference(const T *x, T *y)
  {
      for (int i = 0; i < CHECK_n; i++)
          y[i] = 2 * x[i];
  }
DESCRIPTION
}

# A configuration of the own kernel alone; 'blind' is an entry that cannot be counted.
own_models() {
    cat > own/blind.cl <<'KERNEL'
kernel void blind(global const int *next, global int *y)
{
    int at = get_global_id(0);
    while (next[at] > at) at = next[at];
    y[get_global_id(0)] = at;
}
KERNEL
    sed -e 's/^name: twice/name: blind/' -e '/^  [dwr][a-z]*: {values/d' -e 's/twice/blind/g' \
        -e '/^defines/d' -e 's/buffer: dtype/buffer: int32/' -e '/^reference/,$d' own/twice.yaml > own/blind.yaml
    sed -i '/^reference/,$d' own/twice.yaml
    echo 'companions: {tag: twice, forms: [memory, onchip]}' >> own/twice.yaml
    cat > models.yaml <<'MODELS'
version: 1
catalogue: [own]
devices: {kinds: [cpu]}
measure: {budget_s: 600, min_samples: 4, max_samples: 10, noise: 0.05}
models:
  - name: twice
    output: f_cl_wall_time
    expression: p_twice * f_work_items
    predicts: [{tags: [twice_pattern]}]
    kernels: [{tags: [twice_pattern]}]
MODELS
}

# Folders of kernels are for all commands, and what is made from a record needs none.
case_own_catalogue() {
    own_catalogue
    own_models
    rm own/blind.yaml
    run "$gpucal" --config models.yaml --store store --record run.h5
    expect_status 0
    cp "store/nodes/$(node).yaml" published.yaml
    run "$gpucal" predict --store store --config models.yaml twice_pattern n:1048576
    expect_status 0
    run "$gpucal" predict --store store twice_pattern n:1048576
    expect_status 1
    expect_line "no measurement kernel has the tag 'twice_pattern'"
    run env GPUCAL_CATALOGUE=:own:./own "$gpucal" tune --store store twice_pattern --at n=1048576
    expect_status 0
    expect_line '^twice dtype:float32 .* on '
    run "$gpucal" evaluate --store store -C own twice_pattern n:1048576 --record evaluated.h5
    expect_status 0
    run "$gpucal" --config models.yaml --store store --if-changed
    expect_status 0
    expect_line 'nothing to do'
    mv own away
    mkdir again
    run env OCL_ICD_VENDORS=/nonexistent "$gpucal" fit --record run.h5 --output again
    expect_status 0
    cmp "again/$(node).yaml" published.yaml > out || fail "the replayed fit differs"
    run env OCL_ICD_VENDORS=/nonexistent "$gpucal" fit --record run.h5 --config models.yaml --output again
    expect_status 0
    run "$gpucal" evaluate --store store --replay evaluated.h5 -m twice
    expect_status 0
    run "$gpucal" diff run.h5 run.h5
    expect_status 0
    run "$gpucal" --config models.yaml --store store
    expect_status 1
    expect_line 'catalogue of models.yaml: cannot read folder own: No such file'
    # Changed kernels change the models that use them; other nodes do not see the folder.
    mv away own
    sed -i 's/2 \* x/3 * x/' own/twice.cl
    run "$gpucal" --config models.yaml --store store --if-changed --dry-run
    expect_status 0
    expect_line 'because the configuration changed'
    cat > as-node.sh <<'SCRIPT'
#!/bin/sh
SLURMD_NODENAME=n$OMPI_COMM_WORLD_RANK
export SLURMD_NODENAME
[ "$OMPI_COMM_WORLD_RANK" = 0 ] || cd /
exec "$@"
SCRIPT
    chmod +x as-node.sh
    run ranks 2 "$PWD/as-node.sh" "$gpucal" --config models.yaml --store "$PWD/store" --record two.h5
    expect_status 0
    expect_line '2 nodes published'
}

# One bad kernel is named and left out; bad entries and names end the command.
case_own_catalogue_bad() {
    own_catalogue
    own_models
    run "$gpucal" kernels -C own twice_pattern blind_pattern --match intersect --run --csv all.csv
    expect_status 5
    expect_line '^1 kernel in .*: 1 good$'
    expect_line '^left out: blind: blind.cl:4:[0-9]+: '
    run "$gpucal" kernels -C own blind_pattern --run
    expect_status 1
    expect_line '^gpucal: blind: blind.cl:4:[0-9]+: '
    sed -i 's/tags: \[twice_pattern\]/tags: [twice_pattern, blind_pattern], match: intersect/' models.yaml
    run "$gpucal" --config models.yaml --store store --record run.h5
    expect_status 5
    expect_line 'rank 0: left out: blind: blind.cl:4:'
    expect_line '1 node published, lost: none, kernels left out: 1; '
    run "$gpucal" fit --record run.h5
    expect_status 0
    expect_line '^lost: .* left out: blind: blind.cl:4:'
    mkdir double
    cp own/twice.* double
    run "$gpucal" kernels -C own -C double
    expect_status 1
    expect_line "double/twice.yaml:2:7: name: 'twice' is already used by own/twice.yaml"
    sed -i 's/^name: twice/name: empty/' double/twice.yaml
    run "$gpucal" kernels -C double
    expect_status 1
    expect_line "double/twice.yaml:2:7: name: 'empty' is already used by the built-in "
    sed -i 's/^name: empty/nam: empty/' double/twice.yaml
    run env GPUCAL_CATALOGUE=double "$gpucal" --config models.yaml --store store
    expect_status 1
    expect_line "double/twice.yaml:2:1: unknown key 'nam'"
    rm double/twice.cl
    run env GPUCAL_CATALOGUE=double "$gpucal" --config models.yaml --store store
    expect_status 1
    expect_line 'double/twice.cl: No such file'
}

case_kernels_run() {
    own_catalogue
    run "$gpucal" kernels --catalogue own twice_pattern --run dtype:float32,float64,int32 n:65536,131072 --csv all.csv
    expect_status 0
    expect_line '^ +time +[+]/- +GB/s +GB/s +Gop/s +Gop/s +runs  kernel$'
    expect_line '[0-9] [um]s +[0-9.]+% +[0-9.]+ +[0-9.]+ +[0-9.]+ +- +[0-9]+  twice dtype:float32 wrong:0 room:64 n:65536$'
    expect_line '^6 kernels in [0-9.]+ s: 6 good$'
    python3 - all.csv <<'PYTHON' > said 2>&1 || fail "$(cat said)"
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
assert len(rows) == 6, rows
for r in rows:
    a = dict(p.split(":") for p in r["arguments"].split())
    n, size, t = int(a["n"]), 8 if a["dtype"] == "float64" else 4, float(r["time_s"])
    assert r["generator"] == "twice" and r["kernel"] == "twice " + r["arguments"], r
    assert r["status"] == "good" and r["detail"] == "" and r["estimated"] == "0", r
    assert 0 < t < 1 and 0 <= float(r["spread"]) < 1, r
    assert 6 <= int(r["samples"]) <= 20 and r["stop"] in ("noise", "stable", "samples"), r
    # a load, a store, and one multiplication of each work-item; once through local memory
    assert float(r["bytes"]) == 2 * size * n == float(r["local_bytes"]), r
    assert float(r["ops"]) == n and float(r["copied_bytes"]) == 0, r
    assert float(r["flops"]) == (0 if a["dtype"] == "int32" else n), r
    for rate, amount in (("gbytes_per_s", "bytes"), ("local_gbytes_per_s", "local_bytes"),
                         ("gops_per_s", "ops"), ("gflops_per_s", "flops"),
                         ("copied_gbytes_per_s", "copied_bytes")):
        assert abs(float(r[rate]) - 1e-9 * float(r[amount]) / t) <= 1e-6 * float(r[rate]), r
PYTHON
    # One size of a ladder, without a word about the others.
    run "$gpucal" kernels --catalogue own twice_pattern --run
    expect_status 0
    expect_line '^1 kernel in '
    # The built-in ones, each a generator of its own kind.
    run "$gpucal" kernels --match intersect empty_kernel barrier_pattern flops_madd_pattern ngroups:16 --run
    expect_status 0
    expect_line ' - +[0-9]+  empty lsize_0:256 ngroups:16$'
    expect_line '  barrier dtype:float32 '
    expect_line '  flops_madd dtype:float32 '
}

case_kernels_run_bad() {
    own_catalogue
    run "$gpucal" kernels --catalogue own twice_pattern --run wrong:0,1,2 room:64,16777216 --csv all.csv
    expect_status 5
    expect_line '^ +wrong result: twice: y\[37\] is [0-9.]+, expected [0-9.]+$'
    expect_line '^ +build failed: .*not with this compiler'
    expect_line '^3 kernels in .* s: 1 good, 1 build failed, 1 wrong result$'
    expect_line '^left out: 3 that need more local memory than the device has$'
    python3 - all.csv <<'PYTHON' > said 2>&1 || fail "$(cat said)"
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
found = {}
for r in rows:
    assert (r["time_s"] != "") == (r["status"] == "good") == (r["bytes"] != ""), r
    found.setdefault(r["status"], []).append(r)
assert {s: len(f) for s, f in found.items()} == {
    "good": 1, "wrong result": 1, "build failed": 1}, found
wrong = found["wrong result"][0]
assert "wrong:1 room:64" in wrong["kernel"] and "y[37] is" in wrong["detail"], wrong
PYTHON
    # What the device has no room for is no failure, unless there is nothing else.
    run "$gpucal" kernels --catalogue own twice_pattern --run room:64,16777216
    expect_status 0
    run "$gpucal" kernels --catalogue own twice_pattern --run room:16777216
    expect_status 5
    run "$gpucal" kernels --catalogue own twice_pattern --run --budget 1e-9
    expect_status 5
    expect_line 'skipped: .*raise budget'
    run "$gpucal" kernels --catalogue own twice_pattern --run --device 'no such device'
    expect_status 5
    expect_line "'no such device'; 'gpucal devices'"
    run env OCL_ICD_VENDORS=/nonexistent "$gpucal" kernels --catalogue own twice_pattern --run
    expect_status 5
    run "$gpucal" kernels --catalogue own twice_pattern --run --csv not-there/all.csv
    expect_status 1
    expect_line 'not-there/all.csv: No such file'
    run "$gpucal" kernels --catalogue own twice_pattern --run --csv /dev/full
    expect_status 1
    expect_line '/dev/full: No space left'
    run "$gpucal" kernels --catalogue own twice_pattern --csv all.csv
    expect_status 1
    run "$gpucal" kernels --run --counts
    expect_status 1
    run "$gpucal" kernels --catalogue not-there
    expect_status 1
    expect_line 'not-there'
}

# Counts are for the device's sub-groups, which are not the nominal ones.
case_kernels_counts_device() {
    own_catalogue
    cat > own/row.cl <<'KERNEL'
kernel void row(global const float *x, global float *y)
{
    y[get_global_id(0)] = x[get_group_id(0)];
}
KERNEL
    cat > own/row.yaml <<'DESCRIPTION'
gpucal_kernel: 1
name: row
tags: [row_pattern]
source: row.cl
kernel: row
arguments: {n: {size: [6400]}}
local_size: [64]
global_size: [n]
args:
  - {name: x, buffer: float32, elements: n}
  - {name: y, buffer: float32, elements: n, output: true}
assume: n % 64 = 0 and n >= 64
check: {n: 128}
DESCRIPTION
    size=$("$gpucal" devices | sed -n 's/.*sub-groups of \([0-9]*\),.*/\1/p')
    [ "$size" -ge 1 ] || fail "no sub-group size"
    run "$gpucal" kernels --catalogue own row_pattern --counts --device cpu
    expect_status 0
    expect_line "sub-group +$((100 * ((64 + size - 1) / size))) .*f_mem_access_global_float32_load"
    expect_line "values for sub-groups of $size$"
    run "$gpucal" kernels --catalogue own row_pattern --counts
    expect_status 0
    expect_line 'sub-group +200 .*f_mem_access_global_float32_load'
    expect_line 'values for sub-groups of 32$'
    run "$gpucal" kernels --catalogue own row_pattern --counts --device gpu
    expect_status 5
    # What a device cannot run is left out where it is named.
    run "$gpucal" kernels --catalogue own twice_pattern room:64,16777216 n:65536
    expect_status 0
    expect_line '^2 kernels$'
    run "$gpucal" kernels --catalogue own twice_pattern room:64,16777216 n:65536 --device cpu
    expect_status 0
    expect_line '^1 kernel$'
    expect_line '^left out: 1 that need more local memory than the device has$'
}

case_kernels_interrupted() {
    own_catalogue
    hold 1
    # Not through a function: $! must be the program itself.
    "$gpucal" kernels --catalogue own twice_pattern --run dtype:float32,float64,int32 n:16777216,33554432 > out 2> err &
    main=$!
    await_word $main choosing err
    worker=$(worker_of $main)
    [ -n "$worker" ] || fail "no worker found"
    # Children of a script without job control ignore SIGINT.
    kill -TERM $main
    wait $main
    status=$?
    expect_status 143
    while [ -e "/proc/$worker" ]; do sleep 0.02; done # its worker does not go on
}

"case_$name"
echo "ok: $name"
