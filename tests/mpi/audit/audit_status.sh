#!/bin/bash
# audit_status.sh GPUCAL MAKE_STORE PARAMETERS - output and exit status of gpucal audit
set -eu
gpucal=$1 make_store=$2 parameters=$3
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
fail() { echo "audit_status.sh: $*" >&2; exit 1; }

audit() { # STATUS OPTION..: standard output in $out/text
    local expected=$1 status=0
    shift
    "$gpucal" audit --store "$out/store" "$@" > "$out/text" 2> "$out/errors" || status=$?
    [ "$status" = "$expected" ] ||
        fail "audit $*: exit status $status, not $expected: $(cat "$out/text" "$out/errors")"
}
expect() { # JQ-EXPRESSION that is true of the JSON printed last
    jq -e "$1" "$out/text" > "$out/jq" || fail "not true: $1: $(head -c 2000 "$out/text")"
}

# Ten nodes with twelve calibrations; every fifth becomes slower by a tenth near the end.
mkdir "$out/store"
"$make_store" "$out/store" "$parameters" 10 12 0.002 5 > "$out/made"

audit 2 --warn 4 --fail 15
[ "$(grep -c '^10 nodes, 10 devices, 120 calibrations: 8 pass, .* 2 warning, 0 failure' \
    "$out/text")" = 1 ] || fail "the summary: $(head -1 "$out/text")"
[ "$(grep -c 'next: ' "$out/text")" = 2 ] || fail "two devices have one finding each"
cp "$out/text" "$out/before"
audit 2 --warn 4 --fail 15
cmp -s "$out/text" "$out/before" || fail "the same inputs gave other bytes"
audit 3 --warn 4 --fail 6
grep -q 'drain it' "$out/text" || fail "a failure asks for draining"
audit 0 --warn 30 --fail 40
[ "$(wc -l < "$out/text")" = 1 ] || fail "a line is enough where all pass"
audit 0 --warn 30 --fail 40 --all
[ "$(grep -c ': pass, 12 calibrations$' "$out/text")" = 10 ] || fail "--all"

# Verdicts are coloured on a terminal that has colours.
colours() { # ENVIRONMENT..
    script -qec "env $* '$gpucal' show --store '$out/store'" /dev/null < /dev/null | grep -c "$(printf '\033')" || true
}
[ "$(colours TERM=xterm)" = 10 ] || fail "no colours on a terminal"
[ "$(colours TERM=dumb)$(colours -u TERM)$(colours TERM=xterm NO_COLOR=1)" = 000 ] || fail "colours where there are none"

audit 2 --warn 4 --fail 15 --json
expect '.summary.devices == 10 and .summary.verdicts.warning == 2'
expect '.policy.warn == 0.04 and .policy.confirm == 2 and .policy.of == 3'
expect '[.devices[] | select(.verdict == "warning")] | length == 2'
expect '[.devices[].findings[] | select(.change > 0.05 and .change_low < .change and
    .false_alarm < 0.001 and (.since | type) == "string")] | length == 2'
expect '[.devices[].series[].verdict] | unique == ["warning"]'
audit 0 --warn 4 --fail 15 --json --all --node node00000
expect '.devices | length == 1'
expect '.devices[0] | .series[0].value | length == 12'

audit 1 --node nobody
grep -q "no published node matches 'nobody'" "$out/errors" || fail "$(cat "$out/errors")"
audit 1 --false-alarms 2
grep -q 'false_alarms (2)' "$out/errors" || fail "$(cat "$out/errors")"
echo nonsense >> "$out/store/tracks/node00004.tsv"
audit 1 --warn 4 --fail 15 --html "$out/page" --prometheus "$out/metrics"
grep -q '^node00004: not audited: .*tracks/node00004.tsv:' "$out/text" ||
    fail "the damaged track is not named: $(cat "$out/text")"
audit 1 --warn 4 --fail 15 --json
expect '[.summary.not_audited[].node] == ["node00004"]'
expect '.summary.nodes == 10 and .summary.devices == 9 and .summary.verdicts.warning == 1'
grep -q '^gpucal_node_not_audited{node="node00004"} 1$' "$out/metrics" ||
    fail "metrics: $(grep not_audited "$out/metrics")"
grep -q '"not_audited":\[{"node":"node00004",' "$out/page" || fail "the page does not name the damaged track"
audit 3 --warn 4 --fail 6
audit 0 --warn 4 --fail 15 --node node00000
grep -q 'not among the devices of its type: .*node00004' "$out/errors" || fail "$(cat "$out/errors")"

# Tracks show the change, parameter files its category.
echo nonsense >> "$out/store/nodes/node00009.yaml"
audit 3 --warn 4 --fail 6
grep -q '^node00009 .*: failure,' "$out/text" || fail "$(cat "$out/text")"
grep -q 'the categories of its costs are unknown: .*nodes/node00009.yaml' "$out/errors" ||
    fail "$(cat "$out/errors")"
