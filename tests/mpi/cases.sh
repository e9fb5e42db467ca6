#!/usr/bin/env bash
# cases.sh - whole runs of the program on PoCL, one case a call: cases.sh GPUCAL DATA CASE
# Every case works in a folder of its own and looks at exit status, messages and files.
set -u
gpucal=$1 data=$2 name=$3
work=$(mktemp -d "${TMPDIR:-/tmp}/gpucal-test.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export POCL_DEVICES=basic POCL_CACHE_DIR="${TMPDIR:-/tmp}/gpucal-test-pocl.$(id -u)"
export OMPI_MCA_btl=self,vader,tcp OMPI_MCA_btl_tcp_if_include=lo OMPI_MCA_oob_tcp_if_include=lo
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
unset GPUCAL_STORE SLURMD_NODENAME
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

case_plain_start() {
    run calibrate
    expect_status 0
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
    expect_line 'p_add +[0-9.]+ [pn]s [+]- '
    run "$gpucal" audit --store store
    expect_status 0
    run "$gpucal" predict --store store --tag flops_add_pattern --tag dtype:float32 --tag m:24
    expect_status 0
    expect_line 'predicted .* s'
}

case_three_ranks_one_device() {
    run ranks 3 "$gpucal" --config "$data/small.yaml" --store store --record run.h5
    expect_status 0
    expect_line '1 device, '
    expect_file "store/nodes/$(node).yaml"
}

case_three_nodes() {
    # Node names tell nodes apart, so three ranks can stand for three nodes.
    cat > as-node.sh <<'SCRIPT'
#!/bin/sh
SLURMD_NODENAME=n$OMPI_COMM_WORLD_RANK exec "$@"
SCRIPT
    chmod +x as-node.sh
    run ranks 3 ./as-node.sh "$gpucal" --config "$data/small.yaml" --store store --record run.h5
    expect_status 0
    for n in n0 n1 n2; do expect_file store/nodes/$n.yaml; done
    expect_line '3 devices, .*3 nodes published'
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

case_store_missing() {
    run "$gpucal" --config "$data/small.yaml" --store not-there
    expect_status 6
    expect_line 'not-there'
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
    calibrate > first.out 2>&1 &
    first=$!
    for _ in $(seq 100); do [ -e run.h5.journal ] && ls store/locks/*.lock > /dev/null 2>&1 && break; sleep 0.1; done
    sleep 1
    run "$gpucal" --config "$data/small.yaml" --store store --record second.h5
    expect_status 5
    expect_line 'calibrat'
    wait $first || { cat first.out; fail "the first run was disturbed"; }
    expect_file "store/nodes/$(node).yaml"
}

# The worker of this run's rank: a grandchild, exec'ed with the name of its sub-command.
worker_of() { pgrep -f "worker [0-9]+" | while read -r p; do
    pp=$(awk '{print $4}' "/proc/$p/stat"); [ "$(awk '{print $4}' "/proc/$pp/stat" 2> /dev/null)" = "$1" ] && echo "$p"; done | head -n 1; }

case_killed_worker() {
    # Not through a function: $! must be the program itself.
    "$gpucal" --config "$data/small.yaml" --store store --record run.h5 > out 2> err &
    rank=$!
    for _ in $(seq 150); do grep -q measuring err && break; sleep 0.1; done
    victim=$(worker_of $rank)
    [ -n "$victim" ] || fail "no worker found"
    kill -9 "$victim"
    wait $rank
    status=$?
    # One kernel is marked; the rest is measured, fitted and published.
    [ $status = 0 ] || [ $status = 4 ] || fail "exit status $status"
    expect_line 'signal 9'
    expect_file run.h5
}

case_resume() {
    # Not through a function: $! must be the program itself.
    "$gpucal" --config "$data/small.yaml" --store store --record run.h5 > out 2> err &
    rank=$!
    for _ in $(seq 150); do grep -q measuring err && break; sleep 0.1; done
    sleep 0.5
    kill -9 $rank
    wait $rank 2> /dev/null
    expect_file run.h5.journal
    run calibrate
    expect_status 6
    expect_line 'resume'
    run "$gpucal" --config "$data/small.yaml" --store store --resume run.h5
    expect_status 0
    expect_file run.h5
    expect_file "store/nodes/$(node).yaml"
    run "$gpucal" --config "$data/small.yaml" --store store --resume run.h5
    expect_status 1
    expect_line 'nothing to resume'
}

case_dry_run() {
    run calibrate --dry-run
    expect_status 0
    expect_line 'flops_add'
    [ ! -e run.h5 ] && [ ! -e run.h5.journal ] && [ -z "$(ls store)" ] || fail "something was written"
}

case_undetermined() {
    # p_half and p_add multiply the same feature: no measurement tells them apart.
    sed 's/p_mul \* f_op_float32_mul/p_half * 0.5 * f_op_float32_add/' "$data/small.yaml" > twin.yaml
    run "$gpucal" --config twin.yaml --store store --record run.h5
    expect_status 4
    expect_line 'p_half'
    [ ! -e "store/nodes/$(node).yaml" ] || fail "a number that nothing supports was published"
}

case_budget_too_short() {
    run calibrate --budget 0.3
    expect_status 4
    expect_line 'not measured:'
    expect_line 'flops_.*: skipped: .*raise budget_s'
    [ ! -e "store/nodes/$(node).yaml" ] || fail "something was published"
}

"case_$name"
echo "ok: $name"
