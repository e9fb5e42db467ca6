#!/usr/bin/env bash
# first.sh GPUCAL SOURCE STEADY_DEVICE.SO: docs/examples/first, on PoCL, without the installation.
# Times are those of steady_device.c, so that the prediction is right however busy the machine is.
set -u
gpucal=$1 source=$2
work=$(mktemp -d "${TMPDIR:-/tmp}/gpucal-test.XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
ln -s "$gpucal" "$work/bin/gpucal"
export PATH=$work/bin:$PATH POCL_DEVICES=basic
export POCL_CACHE_DIR="${TMPDIR:-/tmp}/gpucal-test-pocl.$(id -u)"
unset GPUCAL_STORE GPUCAL_CATALOGUE SLURMD_NODENAME

fail() { echo "FAILED: $*"; cat "$work/out"; exit 1; }

# Its general model is that of another CPU: no calibration of such times would be good.
"$source/tests/mpi/learn/calibrated.sh" "$gpucal" "$source/tests/data/general/cpu.yaml" "$work/store" > "$work/out" 2>&1 ||
    fail "no store"
LD_PRELOAD=$3 TEST_NS=1 TEST_COUNTED=none TEST_RUN_ITEMS=100000 "$source/docs/examples/first/first.sh" \
    "$work/store" >"$work/out" 2>&1 || fail "exit status $?"
[ "$(grep -c '^\$ ' "$work/out")" = 2 ] || fail "not two commands after the installation"
# 2 us + 1 ns of each of 2^24 work-items
grep -q '^measured 16\.[78][0-9]* ms' "$work/out" || fail "it was not measured"
error=$(sed -n 's/^measured .*prediction error [+-]\([0-9.]*\) %.*/\1/p' "$work/out")
awk -v e="${error:-x}" 'BEGIN { exit !(e ~ /^[0-9.]+$/ && e < 5) }' || fail "prediction error '$error' %"
