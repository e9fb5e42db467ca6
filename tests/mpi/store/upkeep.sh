#!/bin/bash
# upkeep.sh - verification, signing and pruning of medians/ and kernels/ (on a simulated device):
#   upkeep.sh GPUCAL SIMULATED_DEVICE.SO SMALL.YAML
set -u
gpucal=$1 config=$3
export OCL_ICD_VENDORS=$2
work=$(mktemp -d "${TMPDIR:-/tmp}/gpucal-test.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
unset GPUCAL_STORE GPUCAL_CATALOGUE GPUCAL_SIGN_KEY GPUCAL_TRUSTED_KEYS
mkdir -m 755 store
touch store/simulated

fail() {
    echo "FAILED: $*"
    cat out
    exit 1
}
calibrate() { # NODE
    SLURMD_NODENAME=$1 "$gpucal" calibrate --config "$config" --device 'Simulated device' --store store \
        --record "$1.h5" --quiet > out 2>&1 || fail "no calibration of $1"
}
verify() { "$gpucal" store verify --store store "$@" > out 2>&1; }
good() { verify "$@" || fail "verify $*: status $?"; }
damaged() { # LINE [OPTION..]
    verify "${@:2}" && fail "verify ${*:2} finds nothing: $1"
    [ "$(grep -c "$1" out)" = 1 ] || fail "not once: $1"
}
store() { "$gpucal" store "$@" --store store > out 2>&1 || fail "store $*"; }
# Changes a file, and the hash in its first line with it.
forge() { # FILE SED
    tail -n +2 "$1" | sed "$2" > rest
    printf 'gpucal_medians 1 %s\n' "$(sha256sum < rest | cut -d' ' -f1)" | cat - rest > "$1"
}

calibrate n0
kernels=$(ls store/kernels)
[ -n "$kernels" ] || fail "no kernels"
good
grep -q '^good: ' out || fail "not good"

# Without keys: what is damaged or missing.
cp store/medians/n0.tsv medians
sed -i 's/^m\t0\t/m\t1\t/' store/medians/n0.tsv
damaged 'medians/n0.tsv is damaged'
cp medians store/medians/n0.tsv
cp "store/kernels/$kernels" kernels
sed -i 's/profile/Profile/' "store/kernels/$kernels"
damaged "kernels/$kernels is damaged"
rm "store/kernels/$kernels"
damaged "kernels/$kernels is missing"
cp kernels "store/kernels/$kernels"
good

# With keys: what somebody without one has written.
(umask 077 && "$gpucal" store keygen key > out) || fail "no key"
damaged 'medians/n0.tsv: not signed' --keys key.pub
store sign --key key
good --keys key.pub
cp store/medians/n0.tsv medians
forge store/medians/n0.tsv 's/^\(m\t0\t[0-9]*\t\)[^\t]*/\11e-9/'
damaged 'medians/n0.tsv: changed since it was signed' --keys key.pub
damaged 'medians/n0.tsv: changed since it was signed'
forge store/medians/n0.tsv '/gpucal-signature/d; s/^\(m\t0\t[0-9]*\t\)[^\t]*/\11e-9/'
damaged 'medians/n0.tsv differs from the published file'
damaged 'medians/n0.tsv: not signed' --keys key.pub
cp medians store/medians/n0.tsv
export GPUCAL_SIGN_KEY=key
calibrate n1
good --keys key.pub
store sign
grep -q '^0 files signed' out || fail "what was published with a key is signed again"

# Pruning removes what no medians name, and is older than a day.
text=$'gpucal_kernels 1\n'
unused=${kernels%%.*}.$(printf '%s' "$text" | sha256sum | cut -d' ' -f1).tsv
printf '%s' "$text" > "store/kernels/$unused"
touch -d '2 days ago' "store/kernels/$kernels"
good
store prune --keep 9
[ -e "store/kernels/$unused" ] || fail "a file that a run may be about to name is removed"
touch -d '2 days ago' "store/kernels/$unused"
store prune --keep 9 --dry-run
grep -q '^1 file would be removed' out || fail "not counted"
store prune --keep 9
[ ! -e "store/kernels/$unused" ] || fail "an unused file stays"
[ -e "store/kernels/$kernels" ] || fail "a used file is removed"
good --keys key.pub
