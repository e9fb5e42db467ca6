#!/bin/bash
# audit_pages.sh AUDIT_EXAMPLE SCHEMA - the page and the metrics of a made-up site, with names that
# would do harm unescaped.
set -eu
example=$1 schema=$2
here=$(cd "$(dirname "$0")" && pwd)
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
fail() { echo "audit_pages.sh: $*" >&2; exit 1; }

"$example" "$out" 40
[ "$(stat -c %a "$out/audit.prom" "$out/audit.html" | sort -u)" = 644 ] || fail "modes"
[ "$(ls -A "$out" | wc -l)" = 2 ] || fail "something is left over: $(ls -A "$out")"
python3 "$here/audit_pages.py" "$out/audit.html" "$out/audit.prom" "$schema"

# A large site, whose page is cut.
"$example" "$out" 1600 many
size=$(stat -c %s "$out/audit.html")
[ "$size" -lt 3000000 ] || fail "a page of $size bytes"
sed -n '/<script type="application\/json"/,/<\/script>/p' "$out/audit.html" | sed 's/<[^>]*>//g' > "$out/json"
jq -e '(.devices | length) == 3000 and ([.devices[] | select(.runs)] | length) == 100 and
    ([.devices[] | select(.series)] | length) == 20 and .page.left_out > 500' "$out/json" > "$out/answer" ||
    fail "cut otherwise"
rm "$out/json" "$out/answer"
[ "$(grep -c '^gpucal_device_status' "$out/audit.prom")" = 3000 ] || fail "devices are left out"

# A file that cannot be written; one that is there stays.
"$example" "$out/missing" 1 2> "$out/errors" && fail "wrote to nowhere"
grep -q 'missing/audit.html: No such file' "$out/errors" ||
    fail "said: $(cat "$out/errors")"
echo before > "$out/audit.html"
mkdir "$out/folder" "$out/folder/audit.prom"
cp "$out/audit.html" "$out/folder/audit.html"
(ulimit -f 1; trap '' XFSZ; "$example" "$out/folder" 40 2> "$out/errors") && fail "wrote beyond the limit"
[ "$(cat "$out/folder/audit.html")" = before ] || fail "the page that was there is gone"
