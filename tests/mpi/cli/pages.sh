#!/bin/bash
# pages.sh GPUCAL FOLDER DOCS - man pages are complete, and groff has no remark on them.
#
# FOLDER has the pages that are built, DOCS those that are written by hand.
set -eu
gpucal=$1 folder=$2 docs=$3
# shellcheck source=tests/mpi/cli/options.sh
. "$(dirname "$0")/options.sh"
status=0

fail() {
    echo "$*"
    status=1
}
# What a page says of an option, without roff's escapes: "--NAME" at the head of a paragraph.
has_option() { # PAGE OPTION
    sed 's/\\-/-/g; s/\\f[BIRP]//g' "$1" | grep -A1 '^\.TP' | grep -qE -- "(^|, )--$2( |\\[|\$)"
}

for page in "$folder"/*.1 "$docs"/*.[357]; do
    remarks=$(groff -t -man -Tascii -ww -z "$page" 2>&1)
    [ -z "$remarks" ] || fail "$remarks"
done
# mandoc ignores macros in the text of a table.
for page in "$docs"/*.[357] "$folder"/*.1; do
    awk '/^\.TS/ { inside = 1 } /^\.TE/ { inside = 0 } inside && /^\.([A-RU-Z]|S[^P]|T[^SE&])/' "$page" |
        sed "s|^|$page: in a table: |"
done > "$folder/macros"
[ ! -s "$folder/macros" ] || fail "$(cat "$folder/macros")"
options | grep -vE ' (help|usage|version)$' | while read -r command _ option; do
    has_option "$folder/gpucal-$command.1" "$option" || echo "gpucal-$command.1 lacks --$option"
done > "$folder/lacking"
[ ! -s "$folder/lacking" ] || fail "$(cat "$folder/lacking")"
# References to sections of gpucal(1): they must be there.
for section in CATALOGUE FILES OPTIONS "EXIT STATUS"; do
    grep -q "^\.SH \"\?$section" "$folder/gpucal.1" || fail "gpucal.1 lacks $section"
done
# Every form of a command is in --help once.
for command in $(commands); do
    forms=$("$gpucal" "$command" --help | sed -n 's/^\(Usage\|  or\): *//p')
    [ "$(sort <<< "$forms" | uniq -d)" = "" ] || fail "$command --help: a form twice"
    [ "$(wc -l <<< "$forms")" = "$("$gpucal" help "$command" --json | jq '.usage | length')" ] ||
        fail "$command --help: other forms than help --json"
done
# Examples can be copied: none is so wide that --help wraps it.
for command in $(commands); do
    "$gpucal" "$command" --help | sed -n '/^Examples:/,/^\(Exit\|$\)/p' | grep -v '^E' | grep '^[^ ]' &&
        fail "$command --help: an example is wrapped"
done
# Without a terminal, 'help COMMAND' is --help.
"$gpucal" help show | cmp - <("$gpucal" show --help) || fail "gpucal help show"
for word in help --help; do
    "$gpucal" help $word | cmp - <("$gpucal" --help) || fail "gpucal help $word"
done
exit $status
