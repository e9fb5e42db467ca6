#!/bin/bash
# audit_pages.sh AUDIT_EXAMPLE - the page and the metrics of a made-up site, with names that
# would do harm unescaped.
set -eu
example=$1
here=$(cd "$(dirname "$0")" && pwd)
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
fail() { echo "audit_pages.sh: $*" >&2; exit 1; }

"$example" "$out" 40
[ "$(stat -c %a "$out/audit.prom" "$out/audit.html" | sort -u)" = 644 ] || fail "modes"
[ "$(ls -A "$out" | wc -l)" = 2 ] || fail "something is left over: $(ls -A "$out")"
python3 "$here/audit_pages.py" "$out/audit.html" "$out/audit.prom"

# A site without findings, and a large one, whose page is cut and says so.
"$example" "$out" 5 quiet
grep -q 'No device\.' "$out/audit.html" || fail "no message that there are no findings"
"$example" "$out" 1600 many
size=$(stat -c %s "$out/audit.html")
[ "$size" -lt 3000000 ] || fail "a page of $size bytes"
grep -q 'The worst 100 devices have a section, the worst 20 of them plots; [0-9]* more are' \
    "$out/audit.html" || fail "no message on left out devices"
# 20 sections are open, and the others folded.
before=$(grep -o '<section class="device"\|<details class="folded"' "$out/audit.html" |
    grep -n details)
[ "$before" = '21:<details class="folded"' ] || fail "folded after $before"
grep -q '<summary>80 more devices, without plots</summary>' "$out/audit.html" || fail "not folded"
grep -q '^# gpucal_cost_seconds: left out, more than 100000 samples' "$out/audit.prom" ||
    fail "no message on left out metrics"
grep -q '^gpucal_cost' "$out/audit.prom" && fail "too many parameters"
[ "$(grep -c '^gpucal_device_status' "$out/audit.prom")" = 3000 ] || fail "devices are left out"

# A file that cannot be written, and no gnuplot.
"$example" "$out/missing" 1 2> "$out/errors" && fail "wrote to nowhere"
grep -q 'missing/audit.html: No such file' "$out/errors" ||
    fail "said: $(cat "$out/errors")"
PATH=$out "$example" "$out" 1 2> "$out/errors" && fail "drew without gnuplot"
grep -q 'on Debian it is in the package gnuplot-nox' "$out/errors" ||
    fail "said: $(cat "$out/errors")"
printf '#!/bin/sh\n[ "$2" = --version ] || { echo "out of ink" >&2; exit 3; }\n' > "$out/gnuplot"
chmod +x "$out/gnuplot"
echo before > "$out/audit.html"
PATH=$out:$PATH "$example" "$out" 3 2> "$out/errors" && fail "drew with a broken gnuplot"
grep -q 'gnuplot failed (3): out of ink' "$out/errors" || fail "said: $(cat "$out/errors")"
[ "$(cat "$out/audit.html")" = before ] || fail "the page that was there is gone"
