#!/bin/bash
# medians.sh - medians that somebody changed, put back or removed end in no fit (on simulated devices):
#   medians.sh GPUCAL SIMULATED_DEVICE.SO SMALL.YAML
set -u
gpucal=$1 config=$3
export OCL_ICD_VENDORS=$2
work=$(mktemp -d "${TMPDIR:-/tmp}/gpucal-test.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
unset GPUCAL_STORE GPUCAL_CATALOGUE GPUCAL_SIGN_KEY GPUCAL_TRUSTED_KEYS
touch out

fail() {
    echo "FAILED: $*"
    cat out
    exit 1
}
record() { # FILE NODE NS
    SLURMD_NODENAME=$2 SIMULATED_NS=$3 "$gpucal" calibrate --config "$config" --device 'Simulated device' \
        --record "$1.h5" --store other --quiet > out 2>&1 || fail "no calibration of $2"
}
new_store() {
    rm -rf s
    mkdir -m 755 s
    touch s/simulated
}
fit() { # RECORD
    "$gpucal" fit --record "$1.h5" --store s > out 2>&1 || fail "fit of $1: status $?"
}
# The type's fit is of both devices.
together() {
    fit b
    grep -q 'left out of the fit' out && fail "$1: the medians of a are left out"
    grep -q '^ *fitted: 2' s/types/*.yaml || fail "$1: not a fit of two devices"
}
alone() { # WHAT MESSAGE
    fit b
    grep -q "the medians of node a are left out of the fit: .*$2" out || fail "$1: not said: $2"
    grep -q '^ *fitted: 2' s/types/*.yaml && fail "$1: a fit of two devices"
}
damaged() { # MESSAGE [OPTION..]
    "$gpucal" store verify --store s "${@:2}" > out 2>&1 && fail "verify ${*:2}: nothing found: $1"
    [ "$(grep -c "$1" out)" = 1 ] || fail "verify ${*:2}: not once: $1"
}
good() { "$gpucal" store verify --store s > out 2>&1 || fail "verify: not good"; }
# Medians as changed by SED, with a hash that is right, and no signature.
forge() { # SED
    tail -n +2 s/medians/a.tsv | sed "/gpucal-signature/d; $1" > rest
    printf 'gpucal_medians 1 %s\n' "$(sha256sum < rest | cut -d' ' -f1)" | cat - rest > s/medians/a.tsv
}
# All medians times FACTOR.
times() { # FACTOR
    tail -n +2 s/medians/a.tsv |
        awk -v f="$1" -F '\t' -v OFS='\t' '/gpucal-signature/ { next } $1 == "m" { $4 *= f } { print }' > rest
    printf 'gpucal_medians 1 %s\n' "$(sha256sum < rest | cut -d' ' -f1)" | cat - rest > s/medians/a.tsv
}

mkdir -m 755 other
touch other/simulated
record old a 0.0011 # 10 % slower than later
record a a 0.001
record b b 0.001
(umask 077 && "$gpucal" store keygen key && "$gpucal" store keygen stranger) > out || fail "no keys"

for keys in none own both; do
    unset GPUCAL_SIGN_KEY GPUCAL_TRUSTED_KEYS
    [ $keys = none ] || export GPUCAL_SIGN_KEY=$work/key
    [ $keys != both ] || export GPUCAL_TRUSTED_KEYS=$work/key.pub
    prepare() { # [RECORD] of node a
        new_store
        fit "${1:-a}"
    }
    not_signed='not signed'
    [ $keys != none ] || not_signed='differs from the published file'

    prepare
    together "$keys: untouched"
    good

    # Changed, with a right hash.
    for factor in 1.05 1.3; do
        prepare
        times $factor
        alone "$keys: times $factor" "$not_signed"
        unset GPUCAL_TRUSTED_KEYS
        damaged 'medians/a.tsv differs from the published file'
        [ $keys != both ] || export GPUCAL_TRUSTED_KEYS=$work/key.pub
    done
    prepare
    forge 's/^\(m\t0\t[0-9]*\t\)[^\t]*/\11e-9/' # one kernel
    alone "$keys: one median" "$not_signed"

    # The file that an earlier run wrote, and signed.
    prepare old
    cp s/medians/a.tsv replay
    cp s/ledger/*.tsv rolled
    fit a
    cp replay s/medians/a.tsv
    alone "$keys: replayed" 'restored the old one'
    damaged 'medians/a.tsv is of run .* restored the old one'

    # What it is replaced by is good again.
    fit a
    together "$keys: calibrated again"
    good

    # The ledger of before, too: the newer file of the node shows it; newer medians are not in it.
    prepare old
    fit a
    cp rolled s/ledger/"$(ls s/ledger)"
    damaged 'medians/a.tsv differs from the published file'
    damaged 'nodes/a.yaml differs from the published file'
    alone "$keys: newer than the ledger" 'differs from the published file'

    # Lines that somebody without a key adds to the ledger vouch for nothing.
    if [ $keys != none ]; then
        prepare old
        cp s/medians/a.tsv replay
        fit a
        cp replay s/medians/a.tsv
        segment=$(ls s/ledger/*.tsv)
        previous=$(tail -n 1 "$segment" | tr -d '\n' | sha256sum | cut -d' ' -f1)
        for action in publish end; do
            line=$(printf '%s\t%s\tx@y\t%s\tforged\t-\t-\t-\tmedians/a.tsv\t%s\t%s\t-' "$previous" \
                2099-01-01T00:00:00Z $action "$(sha256sum < replay | cut -d' ' -f1)" \
                "$(sha256sum < replay | cut -d' ' -f1)")
            echo "$line" >> "$segment"
            previous=$(printf '%s' "$line" | sha256sum | cut -d' ' -f1)
        done
        (unset GPUCAL_TRUSTED_KEYS && good) || exit 1 # by the chain alone
        damaged 'lines are not signed' --keys key.pub
        alone "$keys: forged lines" 'restored the old one'
        # A publication from that host does not sign them.
        damaged 'lines are not signed' --keys key.pub
    fi

    # Another node's, a part, a link, none.
    prepare
    fit b
    cp s/medians/b.tsv s/medians/a.tsv
    rm -r s/types s/nodes/b.yaml s/history/b s/tracks/b.tsv
    damaged 'medians/a.tsv differs from the published file'
    prepare
    head -c 1000 s/medians/a.tsv > part
    cp part s/medians/a.tsv
    alone "$keys: a part" 'medians/a.tsv'
    prepare
    mv s/medians/a.tsv elsewhere
    ln -s "$work/elsewhere" s/medians/a.tsv
    alone "$keys: a link" 'a symbolic link'
    damaged 'medians/a.tsv: a symbolic link'
    prepare
    rm s/medians/a.tsv
    damaged 'medians/a.tsv is missing'
    fit a
    good
done
unset GPUCAL_SIGN_KEY GPUCAL_TRUSTED_KEYS

# By a stranger's key.
export GPUCAL_SIGN_KEY=$work/stranger
new_store
fit a
export GPUCAL_SIGN_KEY=$work/key
new=$(cat s/medians/a.tsv)
new_store
fit a
echo "$new" > s/medians/a.tsv
alone "a stranger's" 'which is not trusted'
unset GPUCAL_SIGN_KEY

# Sections that a run keeps of its node's old file are checked as well.
new_store
fit a
sed -i 's/^model\tadd\t/model\tother\t/' s/medians/a.tsv
forge 's/uid=/uid=x/'
fit a
[ "$(grep -c '^device' s/medians/a.tsv)" = 1 ] || fail "a forged section is kept"

# A profile of counts that somebody put into a file of kernels of its own, which comes first.
new_store
fit a
kernels=$(echo s/kernels/*)
type=${kernels#s/kernels/} type=${type%%.*}
for i in {1..64}; do
    sed "/^profile\t/s/f_op_float32_add/f_op_float32_mul/g
        1a profile\t$(printf 'x%d' "$i" | sha256sum | cut -d' ' -f1)\tx$i" "$kernels" > forged
    name=s/kernels/$type.$(sha256sum < forged | cut -d' ' -f1).tsv
    [[ $name < $kernels ]] && break
done
grep -q '^profile.*f_op_float32_add' forged && fail "no profile was forged"
cp forged "$name"
rm s/medians/a.tsv
fit b
name=${name#s/kernels/"$type".}
grep -q "${name%.tsv}" s/medians/b.tsv && fail "forged kernels count"
"$gpucal" store verify --store s > out 2>&1
grep -q "$name is damaged" out || fail "forged profiles are not found"

# A crash after the line of the ledger, before the rename: the old file counts, and the next one repairs it.
new_store
fit old
cp s/medians/a.tsv replay
cp s/ledger/*.tsv lines
fit a
segment=$(echo s/ledger/*.tsv)
head -n $(($(wc -l < lines) + 1)) "$segment" > shorter.tsv
cp shorter.tsv "$segment"
cp replay s/medians/a.tsv
"$gpucal" store verify --store s > out 2>&1
grep -q '^interrupted: medians/a.tsv' out || fail "not interrupted"
grep -q '^damaged: .*medians/a.tsv' out && fail "a crash is damage"
together 'after a crash'
fit a
"$gpucal" store verify --store s > out 2>&1
grep -q 'medians/a.tsv' out && fail "not repaired"

# A ledger without the lines about medians.
new_store
fit a
segment=$(echo s/ledger/*.tsv)
previous='' lines=$(grep -v $'\tmedians/' "$segment")
while IFS= read -r line; do
    [ -z "$previous" ] || line="$previous"$'\t'"${line#*$'\t'}"
    echo "$line"
    previous=$(printf '%s' "$line" | sha256sum | cut -d' ' -f1)
done <<< "$lines" > "$segment"
alone 'without a line' 'not in the ledger'
damaged 'medians/a.tsv is not in the ledger'
