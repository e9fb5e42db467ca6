#!/bin/bash
# if_changed.sh GPUCAL DATA FAKE_DRIVER.SO STEADY_DEVICE.SO - calibrations that --if-changed
# skips and repeats, with the times of steady_device.c
set -u
gpucal=$1 data=$2 fake_driver=$4:$3
export LD_PRELOAD=$4
work=$(mktemp -d "${TMPDIR:-/tmp}/gpucal-test.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
POCL_CACHE_DIR="${TMPDIR:-/tmp}/gpucal-test-pocl.$(id -u)"
export POCL_DEVICES=basic POCL_CACHE_DIR
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0 # of the preloaded
export OMPI_MCA_btl=self,vader,tcp OMPI_MCA_btl_tcp_if_include=lo OMPI_MCA_oob_tcp_if_include=lo
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
unset GPUCAL_STORE SLURMD_NODENAME GPUCAL_SIGN_KEY GPUCAL_TRUSTED_KEYS
mkdir store
cp "$data/small.yaml" config.yaml

fail() {
    echo "FAILED: $*"
    for f in out err; do [ -f $f ] && sed "s/^/$f: /" $f; done
    exit 1
}
calibrate() { # STATUS OPTION...
    local want=$1 status
    shift
    rm -f ./*.h5 ./*.journal
    "$gpucal" --config config.yaml --store store --if-changed "$@" > out 2> err
    status=$?
    [ $status = "$want" ] || fail "exit status $status, expected $want"
}
said() { grep -qE -- "$1" out err || fail "no '$1'"; }
measured() { [ -n "$(ls ./*.h5 2> /dev/null)" ] || fail "nothing is measured"; }
nothing_done() {
    said "nothing to do: $1"
    [ -z "$(ls ./*.h5 ./*.journal 2> /dev/null)" ] || fail "a record is left"
    [ "$(sum)" = "$published" ] || fail "what is published has changed"
}
sum() { find store -name '*.yaml' -exec sha256sum {} + | sort; }

calibrate 0
said 'measured because nothing is published for it on this node'
measured
published=$(sum)

calibrate 0
nothing_done '1 device unchanged, calibrated 0 minutes ago'
calibrate 0 --max-age 1
nothing_done '1 device unchanged'
calibrate 0 --json
python3 -c 'import json; r = json.load(open("out"));
assert (r["devices"], r["unchanged"], r["exit_status"]) == (0, 1, 0), r
assert 0 <= r["oldest_age_s"] < 100, r' 2> err || fail "JSON"
[ "$(sum)" = "$published" ] || fail "what is published has changed"
# Two ranks, of which one is on a node that nothing is published for.
# shellcheck disable=SC2016
mpirun -n 2 --oversubscribe sh -c 'SLURMD_NODENAME=node$OMPI_COMM_WORLD_RANK exec "$@"' sh \
    "$gpucal" --config config.yaml --store store --if-changed --dry-run > out 2> err
said '^node node1 rank 1: '
said 'node0 .*: measured because nothing'

# Reported changes, without measuring.
export LD_PRELOAD=$fake_driver
TEST_DRIVER=9.9 calibrate 0 --dry-run
said 'measured because driver .+ became 9\.9$'
TEST_DRIVER=$'9\xff\t\xc2' calibrate 0 --dry-run
said 'measured because driver .+ became 9\?\?\?$'
export LD_PRELOAD=$4
[ "$(sum)" = "$published" ] || fail "--dry-run publishes"
sed -i 's/noise: .*/noise: 0.03/' config.yaml
calibrate 0 --dry-run
said 'measured because the configuration changed$'
cp "$data/small.yaml" config.yaml
calibrate 0 --max-age 0.00001 --dry-run
said 'measured because its calibration is 0\.[0-9] days old'
sed -i 's/^\( *gpucal_version:\) .*/\1 0.0.1/' store/nodes/*.yaml
calibrate 0 --dry-run
said 'measured because gpucal 0\.0\.1 became [0-9]'

# A new driver is measured, and is the one from then on.
export LD_PRELOAD=$fake_driver TEST_DRIVER=9.9
calibrate 0
said 'driver .+ became 9\.9, gpucal 0\.0\.1 became'
measured
grep -q '^ *driver: "\?9\.9"\?$' store/nodes/*.yaml || fail "the new driver is not published"
published=$(sum)
calibrate 0
nothing_done '1 device'

# A model that is added is measured alone, and published beside the other.
cat > more.yaml <<'YAML'
  - name: add_alone
    output: f_cl_wall_time
    expression: p_add * f_op_float32_add
    kernels:
      - {tags: [flops_add_pattern, "dtype:float32"]}
YAML
cat more.yaml >> config.yaml
calibrate 0 --dry-run
said 'measured because it is not published \(model add_alone\); kept: model flops$'
grep -q '^  flops_add 18$' out || fail "no kernel of the new model"
grep -q 'flops_mul' out && fail "a kernel of the model that is kept"
calibrate 0 --json --record added.h5
python3 -c 'import json; r = json.load(open("out"));
assert r["fits"] == 1 and r["fits_rejected"] == 0, r
assert [k["models"] for k in r["kept"]] == [["flops"]], r' 2> err || fail "JSON"
"$gpucal" show --parameters --store store > out 2> err
said 'model flops,'
said 'model add_alone,'
[ "$(grep -c '^      calibrated .* by run' out)" = 1 ] || fail "not one model of another run"
"$gpucal" store verify --store store > out 2> err || fail "the store is damaged"
[ "$(grep -c '^run' store/tracks/*.tsv)" = 3 ] || fail "not a line of the track per run"
tail -n 1 store/tracks/*.tsv > last
[ "$(awk -F'\t' '{ print NF }' last)" = 13 ] || fail "the track has more than the one cost"
# The record gives the same numbers, and nothing of the model that was kept.
cp store/nodes/*.yaml published.yaml
"$gpucal" fit --record added.h5 --store store > out 2> err || fail "fit"
grep -q 'model flops' out && fail "a model without measurements is fitted"
cmp published.yaml store/nodes/*.yaml || fail "the record gives other numbers"
published=$(sum)
calibrate 0
nothing_done '1 device'

# A configuration with the other model alone keeps this one; a driver makes it out of date.
(sed '/^models:/q' "$data/small.yaml"; cat more.yaml) > config.yaml
calibrate 0
nothing_done '1 device'
TEST_DRIVER=9.10 calibrate 0 -q
measured
"$gpucal" show --parameters --store store > out 2> err
said 'out of date: the driver was 9\.9 then'
TEST_DRIVER=9.10 "$gpucal" audit --store store --all > out 2> err
said 'driver 9\.9 became 9\.10.*; not measured since: model flops'
cp "$data/small.yaml" config.yaml
TEST_DRIVER=9.10 calibrate 0 --dry-run
said 'measured because driver 9\.9 became 9\.10$'
"$gpucal" store forget --store store --model flops > out 2> err || fail "forget"
TEST_DRIVER=9.10 calibrate 0 --dry-run
said 'measured because it is not published$'
export LD_PRELOAD=$4
unset TEST_DRIVER

# An interrupted run that keeps a model continues as it began.
cat more.yaml >> config.yaml
export LD_PRELOAD=$fake_driver TEST_DRIVER=9.10
"$gpucal" --config config.yaml --store store --if-changed --record cut.h5 > out 2> err &
pid=$!
for _ in $(seq 1500); do
    grep -q measuring err && break
    sleep 0.02
done
kill -KILL $pid
wait $pid 2> /dev/null
if [ -e cut.h5.journal ]; then
    "$gpucal" --config config.yaml --store store --resume cut.h5 > out 2> err ||
        fail "resuming"
    grep -q 'model add_alone' out && fail "the resumed run fits a model that it had kept"
    said 'model flops: good'
fi
export LD_PRELOAD=$4
unset TEST_DRIVER

"$gpucal" --config config.yaml --if-changed > out 2> err && fail "no store is needed"
said 'if-changed requires a store'
"$gpucal" --config config.yaml --max-age 3 > out 2> err && fail "--max-age alone is taken"
said 'max-age requires --if-changed'
exit 0
