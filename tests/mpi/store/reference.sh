#!/bin/bash
# reference.sh GPUCAL - gpucal store export-reference: quantiles over devices, and over sites
set -u
gpucal=$1
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
cd "$work" || exit 1
unset GPUCAL_SIGN_KEY GPUCAL_TRUSTED_KEYS

fail() {
    echo "FAILED: $*"
    cat out err
    exit 1
}

# NODES FROM..TO of a store, each with a device of type gpu-a with two checks, of which the newer
# counts: device i takes 1 + i/1000 ms for memory; and one of another type.
make() { # STORE FROM TO
    mkdir -p "$1/checks"
    for i in $(seq "$2" "$3"); do
        awk -v i="$i" 'BEGIN {
            OFS = "\t"
            print "gpucal_checks 1"
            print "check", "2026-11-01T00:00:00Z", "uuid:" i, "gpu-a", "driver 7", "1.98e9", "memory:abc:9"
            print "check", "2026-11-02T00:00:00Z", "uuid:" i, "gpu-a", "driver 7", "1.98e9",
                sprintf("memory:abc:%.9g", 1e-3 * (1 + i / 1000)), "launch:def:2e-6"
            print "check", "2026-11-02T00:00:00Z", "uuid:b" i, "gpu-b", "driver 7", "nan", "memory:abc:7"
        }' > "$1/checks/n$i.tsv"
    done
}

export_reference() { # STATUS ARGUMENT...
    local wanted=$1 status=0
    shift
    "$gpucal" store export-reference "$@" > out 2> err || status=$?
    [ $status = "$wanted" ] || fail "export-reference $*: status $status instead of $wanted"
}

make all 1 201
make left 1 51
make right 52 201
export_reference 0 gpu-a --store all
cp out all.tsv
[ "$(wc -c < all.tsv)" -le 3072 ] || fail "larger than 3 KB"
# The least, the median and the greatest of 201 devices; one check of each counts.
awk -F '\t' '$2 == "memory" {
    seen = 1
    exit !($3 == "abc" && $4 == 201 && $5 == 0.001001 && $13 == 0.001101 && $21 == 0.001201)
} END { if (!seen) exit 1 }' all.tsv || fail "not the quantiles of the devices"
awk -F '\t' '$2 == "clock" && $3 == "-" && $4 == 201 { seen = 1 } END { exit !seen }' all.tsv || fail "no clock"

# Two sites' as one: as if the devices were of one store.
export_reference 0 gpu-a --store left
cp out left.tsv
export_reference 0 gpu-a --store right left.tsv
awk -F '\t' 'NR == FNR { if ($2 == "memory") whole = $0; next }
    $2 == "memory" {
        n = split(whole, w, "\t")
        bad = n != NF || $4 != w[4]
        for (k = 5; k <= NF; k++) bad = bad || ($k - w[k])^2 > (2e-6)^2
        seen = 1
    } END { exit bad || !seen }' all.tsv out || fail "two sites are not the whole"
export_reference 0 gpu-a --store right left.tsv --json
grep -q '"devices": 201' out || fail "no JSON"

# What cannot be used.
export_reference 1 gpu-c --store all
grep -q "no check of a device of type 'gpu-c'" err || fail "no message"
export_reference 0 gpu-b --store all
cp out b.tsv
export_reference 1 gpu-a --store all b.tsv
grep -q "b.tsv: it is of type 'gpu-b', not 'gpu-a'" err || fail "another type"
# shellcheck disable=SC2016 # the last line
for damage in 's/0.001001/0.002/' 's/abc/def\tx/' '/^type/d' '1s/1/2/' '$s/$/\t1/'; do
    sed "$damage" left.tsv > damaged.tsv
    export_reference 1 gpu-a --store right damaged.tsv
    grep -q 'damaged.tsv: damaged, or no reference' err || fail "$damage"
done
"$gpucal" store export-reference > out 2>&1 && fail "without a type"

# Signed, and refused where the text was changed.
"$gpucal" store keygen key > out 2>&1 || fail "no key"
GPUCAL_SIGN_KEY=key export_reference 0 gpu-a --store left
cp out signed.tsv
GPUCAL_SIGN_KEY='' export_reference 0 gpu-a --store right signed.tsv
sed 's/0.001001/0.000999/' signed.tsv > changed.tsv
export_reference 1 gpu-a --store right changed.tsv
