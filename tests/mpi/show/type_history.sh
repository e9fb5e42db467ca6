#!/bin/bash
# type_history.sh GPUCAL MAKE_FITS PARAMETERS - what 'gpucal show --history --type' makes of the
# fits of a type: of each its devices, error, rates beside those of the fit before, and a verdict.
set -eu
gpucal=$1 make_fits=$2 parameters=$3
out=$(mktemp -d)
trap 'rm -r "$out"' EXIT
mkdir -m 755 "$out/store"

fail() { # TEXT
    echo "type_history.sh: $1"
    cat "$out/answer"
    exit 1
}
show() { # STATUS OPTION...
    local expected=$1 status=0
    shift
    "$gpucal" show --store "$out/store" "$@" > "$out/answer" 2>&1 || status=$?
    [ "$status" = "$expected" ] || fail "$*: status $status, not $expected"
}
lines() { # NUMBER PATTERN
    [ "$(grep -cE -- "$2" "$out/answer")" = "$1" ] || fail "not $1 lines match: $2"
}

# A store without a history says so.
show 1 --history --type '*'
lines 1 "no type that matches '\*' has a history"
show 1 --type '*'
lines 1 '--type requires --history'
show 1 --history --type '*' --node n1
lines 1 'and excludes --node'

"$make_fits" "$out/store" "$parameters" 14 1.1
show 0 --history --type 'nvidia-*'
lines 1 '^TYPE +PUBLISHED \(UTC\) +RUN +DRIVER +DEVICES +HELD-OUT ERROR +MEMORY +FP32 +WHAT +AUDIT$'
lines 14 '^nvidia-.* r[0-9]{2} .* [78] +[0-9.]+ % '
lines 4 ' 7 +[0-9.]+ % '
lines 1 ' r00 .* % +- +- +reference +unknown$'
lines 1 ' r04 .* 8 +[0-9.]+ % +[-+]0\.[0-2] % +[-+]0\.[0-2] % +7 devices became 8 +unknown$'
lines 1 ' r10 .* % +-(8\.9|9\.[0-3]) % +-(8\.9|9\.[0-3]) % +.* slower by .* (warning|failure)$'
lines 4 ' (warning|failure)$'
lines 3 ' pass$' # r07 to r09, after three references of the 8 devices
show 0 --history --type '*' --json
lines 14 '"run": "r[0-9]+"'
lines 1 '"what": "7 devices became 8"'
lines 14 '"rate_dram": \{'
show 1 --history --type 'amd-*'

# An audit of the store names the type, which drifted; its exit status is of devices.
"$gpucal" audit --store "$out/store" > "$out/answer" || fail "audit: status $?"
lines 1 '^type nvidia-.*: (warning|failure), 14 fits$'
lines 1 '^  (warning|failure) +GPUCAL-EVERYTHING: .* slower by (9\.|10\.)'
lines 1 'since run r10 '
lines 1 'next: compare its fits: gpucal show --history --type nvidia-'
"$gpucal" audit --store "$out/store" --warn 50 --fail 60 > "$out/answer" || fail "audit: status $?"
lines 0 '^type '
"$gpucal" audit --store "$out/store" --warn 50 --fail 60 --all > "$out/answer"
lines 1 '^type nvidia-.*: pass, 14 fits$'

# A history that somebody else may write to is no reason to say nothing of devices.
chmod o+w "$out/store/type-history"
"$gpucal" audit --store "$out/store" > "$out/answer" 2>&1 || fail "audit: status $?"
lines 1 'type nvidia-.* has no verdict: .*everyone can change type-history'
lines 1 '^0 nodes, '
show 1 --history --type '*'
lines 1 'type nvidia-.* is left out: .*everyone can change type-history'
chmod o-w "$out/store/type-history"

# The newest stay.
"$gpucal" store prune --keep 3 --store "$out/store" > "$out/answer"
lines 1 '^11 files removed$'
show 0 --history --type '*'
lines 3 ' r1[1-3] .* unknown$'
"$gpucal" store verify --store "$out/store" > "$out/answer" || fail 'not good'
