#!/bin/bash
# added_kernels.sh - kernels that are added, or learned, change nothing for models that do not use them
#   (on a simulated device): added_kernels.sh GPUCAL SIMULATED_DEVICE.SO SOURCE
set -u
gpucal=$1 source=$3
export OCL_ICD_VENDORS=$2 SLURMD_NODENAME=n0
work=$(mktemp -d "${TMPDIR:-/tmp}/gpucal-test.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
unset GPUCAL_STORE GPUCAL_CATALOGUE GPUCAL_SIGN_KEY GPUCAL_TRUSTED_KEYS
mkdir -m 755 s own
touch s/simulated out

fail() {
    echo "FAILED: $*"
    cat out
    exit 1
}
calibrate() { # CONFIG [OPTION..]
    rm -f run.h5
    "$gpucal" calibrate --config "$1" --device 'Simulated device' --store s --record run.h5 "${@:2}" > out 2>&1 ||
        fail "calibrate $*: status $?"
}
says() { grep -q -e "$1" out || fail "not said: $1"; }
audit() { # VERDICT
    "$gpucal" audit --store s > out 2>&1
    grep -q "^1 $1" out || grep -q " 1 $1\|: 1 $1" out || fail "audit: not 1 $1"
}
cp "$source/tests/data/small.yaml" small.yaml
# A kernel of the user's own, which the simulated device knows by its function, and a model of it.
sed 's/^name: flops_add$/name: mine/; s/flops_add_pattern/mine_pattern/; s/source: .*/source: mine.cl/' \
    "$source/kernels/catalogue/flops_add.yaml" > own/mine.yaml
cp "$source/kernels/catalogue/flops_add.cl" own/mine.cl
sed '/^ *- {tags/d; s/name: flops/name: mine/; s/expression: .*/expression: p_add * f_op_float32_add/' small.yaml > mine.yaml
echo '      - {tags: [mine_pattern, "dtype:float32"]}' >> mine.yaml

for i in {1..5}; do calibrate small.yaml; done
audit pass

# Another model with kernels of its own: what learn does.
calibrate mine.yaml --catalogue own
audit pass
calibrate small.yaml
audit pass

# The same folder in each run, and nobody uses it.
calibrate small.yaml --catalogue own
audit pass
calibrate small.yaml --catalogue own --if-changed
says 'nothing to do'
calibrate mine.yaml --catalogue own --if-changed
says 'nothing to do'

# Fits pool devices whether or not other kernels were there.
SLURMD_NODENAME=n1 calibrate small.yaml
says 'and 1 device of earlier runs'

# Its kernel changes: its model is out of date, the others are not.
echo '// changed' >> own/mine.cl
calibrate small.yaml --catalogue own --if-changed
says 'nothing to do'
calibrate mine.yaml --catalogue own --if-changed --dry-run
says 'because the configuration changed'

# A fit of the record needs no folder, and publishes the same fingerprint.
calibrate mine.yaml --catalogue own
mv own away
configuration() { grep -A12 'name: mine' "$1" | grep -m1 'configuration:'; }
configuration s/nodes/n0.yaml > before
"$gpucal" fit --record run.h5 --store s > out 2>&1 || fail "fit"
[ -s before ] && [ "$(configuration s/nodes/n0.yaml)" = "$(cat before)" ] || fail "another fingerprint"
