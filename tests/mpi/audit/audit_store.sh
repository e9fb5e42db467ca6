#!/bin/bash
# audit_store.sh GPUCAL MAKE_STORE PARAMETERS - audit of a store in which some devices drifted:
# page and metrics report the same as the text.
set -eu
gpucal=$1 make_store=$2 parameters=$3
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
fail() { echo "audit_store.sh: $*" >&2; exit 1; }
page_has() { # PAGE FILTER - of the document in the page
    sed -n '/<script type="application\/json"/,/<\/script>/p' "$1" | sed 's/<[^>]*>//g' | jq -e "$2" > "$out/answer"
}

mkdir "$out/store"
"$make_store" "$out/store" "$parameters" 10 12 0.002 5 > "$out/made"
status=0
"$gpucal" audit --store "$out/store" --html "$out/page.html" --prometheus "$out/gpucal.prom" \
    --warn 4 --fail 15 > "$out/text" || status=$?
[ "$status" = 2 ] || fail "exit status $status: $(cat "$out/text")"
for node in $(sed -n 's/^\(node[0-9]*\) .*warning.*/\1/p' "$out/text"); do
    page_has "$out/page.html" "any(.devices[]; .node == \"$node\" and .verdict == \"warning\" and (.series | length) > 0)" ||
        fail "no section of $node"
    [ "$(grep -c "^gpucal_device_status{node=\"$node\".*} 1\$" "$out/gpucal.prom")" = 1 ] ||
        fail "no metric of $node"
done
[ "$(grep -c '^gpucal_device_status{.*} 1$' "$out/gpucal.prom")" = 2 ] || fail "two drifted"
[ "$(grep -c '^gpucal_device_status{.*} 0$' "$out/gpucal.prom")" = 8 ] || fail "eight did not"
grep -q '^gpucal_finding_change_ratio{.*,verdict="warning"} 0\.[01][0-9]*$' "$out/gpucal.prom" ||
    fail "no finding: $(grep '^gpucal_finding' "$out/gpucal.prom")"
page_has "$out/page.html" '[.devices[] | select(.runs)] | length == 2' || fail "other sections"

# The history has a verdict for each calibration: that of the drift from the run on that began it.
drifted=$(sed -n 's/^\(node[0-9]*\) .*: warning.*/\1/p' "$out/text" | head -n 1)
"$gpucal" show --store "$out/store" --history --node "$drifted" > "$out/history" || fail "history"
[ "$(grep -c 'reference  *unknown$' "$out/history")" = 3 ] || fail "no reference: $(cat "$out/history")"
[ "$(grep -cE 'slower by [0-9.]+ % +(warning|failure)$' "$out/history")" = 1 ] || fail "no beginning"
[ "$(grep -cE ' (warning|failure)$' "$out/history")" = 5 ] || fail "verdicts: $(cat "$out/history")"

# A node given by --node has a section although it passes.
"$gpucal" audit --store "$out/store" --node node00000 --html "$out/page.html" > /dev/null ||
    fail "node00000 does not pass"
page_has "$out/page.html" '.devices[0] | .node == "node00000" and .verdict == "pass" and (.runs | length) == 12' ||
    fail "no section of node00000"

# A file that cannot be written is reported before the audit.
"$gpucal" audit --store "$out/store" --html "$out/missing/page.html" > "$out/text" 2>&1 &&
    fail "wrote to nowhere"
grep -q 'missing/page.html: No such file' "$out/text" || fail "$(cat "$out/text")"
