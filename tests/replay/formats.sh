#!/usr/bin/env bash
# formats.sh GPUCAL SOURCE: files of every version of every format, as the gpucal of then wrote
# them (tests/data/formats): stores, records and profiles are read and give the numbers of then,
# and journals are refused with what to do.
set -u
gpucal=$1 source=$2
work=$(mktemp -d "${TMPDIR:-/tmp}/gpucal-test.XXXXXX")
trap 'rm -rf "$work"' EXIT
umask 022
cp -r "$source/tests/data/formats" "$work/formats"
chmod -R go-w "$work/formats"
cp "$source/tests/data/small.yaml" "$work"
export POCL_DEVICES=basic
unset GPUCAL_STORE GPUCAL_NODE GPUCAL_CATALOGUE SLURMD_NODENAME

fail() { echo "FAILED: $PWD: $*"; [ ! -f out ] || cat out; exit 1; }
run() { "$gpucal" "$@" >out 2>&1; }
costs() { sed -nE 's/.*name: (p_[a-z]+), value: ([0-9.]{6})[0-9]*(e[-+0-9]+).*/\1 \2\3/p' "$1" | sort; }
times() { sed -n 's/.*: predicted \([^,]*\),.*/\1/p' "$1"; }

read_store() { # the parameters of the node, the ledger and the track where there is one
    local before

    run predict --store store --node vm --profile adds.profile.yaml --at n=65536 ||
        fail "no prediction"
    before=$(times predicted.txt)
    [ "$before" ] || fail "predicted.txt has no time"
    [ "$(times out)" = "$before" ] || fail "not the prediction of then, $before"
    run show --store store --parameters || fail "show"
    grep -q 'p_add' out || fail "show lists no costs"
    [ ! -e store/tracks ] && return
    run store verify --store store || fail "the ledger"
    run audit --store store || fail "the track"
    grep -q '1 device, 1 calibration' out || fail "the track has no calibration"
}

read_record() { # fitted again, it gives the costs of then
    local before

    mkdir fitted
    run fit --record record.h5 --output fitted || fail "the record"
    before=$(costs store/nodes/vm.yaml)
    [ "$before" ] || fail "the node has no costs"
    [ "$(costs fitted/vm.yaml)" = "$before" ] || fail "$(costs fitted/vm.yaml) instead of $before"
}

read_profiles() {
    local profile sizes params

    for profile in *.profile.yaml; do
        sizes=n=65536
        params=applications/vm.yaml
        ! grep -q '^sub_groups:' "$profile" || params=general/h200.yaml # it has all that this needs
        [ "$profile" != smooth.profile.yaml ] || sizes=n=1000,m=1000
        run predict --params "$source/tests/data/$params" --profile "$profile" \
            --at $sizes || fail "$profile"
        [ "$(times out)" ] || fail "$profile: no time"
    done
}

refuse_journal() {
    local version

    version=$(sed -n 's/^journal //p' versions)
    [ "$version" != "$newest_journal" ] || return
    cp journal run.h5.journal
    run calibrate --config "$work/small.yaml" --store store --resume run.h5 && fail "a journal of version $version was continued"
    grep -q "unknown version $version of the journal: finish this run with the gpucal that began it" out ||
        fail "not why the journal of version $version is refused"
}

newest() { # CONSTANT
    grep -rhoE "\b$1_VERSION *=? *[0-9]+" "$source/store" "$source/kernels/model" "$source/calib" --include=*.[ch] |
        grep -oE '[0-9]+$' | sort -n | tail -n 1
}

# A version without a file is one that nobody has tried to read.
complete() { # FORMAT OLDEST NEWEST
    local version

    [ "$3" ] || fail "the newest version of $1 is not found in the source"
    for version in $(seq "$2" "$3"); do
        cat "$work"/formats/*/versions "$work/others" | grep -qx "$1 $version" ||
            fail "no file of $1 $version: see tests/data/formats/README.md"
    done
}

newest_journal=$(newest JOURNAL)
for folder in "$work"/formats/*/; do
    cd "$folder" || exit 1
    read_store
    read_record
    read_profiles
    refuse_journal
done

cd "$work" || exit 1
head -qn 1 "$source"/tests/data/params-v*.yaml | sed -n 's/^gpucal_\(params\): /\1 /p' >others
complete record 3 "$(newest GCAL_RECORD)"
complete params 1 "$(newest GCAL_PARAMS)"
complete profile 2 "$(newest GCAL_PROFILE)"
complete track 2 2
