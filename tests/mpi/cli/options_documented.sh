#!/bin/bash
# options_documented.sh GPUCAL PAGE - --help and gpucal(1) list the same options.
#
# An option counts as documented for a command if the command's section has it: in its
# synopsis or as the head of a paragraph.  'predict', 'explain' and 'remove' share the options of 'count'.
set -eu
gpucal=$1 page=$2
# shellcheck source=tests/mpi/cli/options.sh
. "$(dirname "$0")/options.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# "COMMAND LONG" per option in the synopsis or the head of a paragraph of .SS COMMAND
page_options() {
    sed 's/\\-/-/g; s/\\f[BIRP]//g' "$page" | awk '
        function take(line) {
            while (match(line, /--[a-z][a-z-]*/)) {
                print command, substr(line, RSTART + 2, RLENGTH - 2)
                line = substr(line, RSTART + RLENGTH)
            }
        }
        /^\.SH / { commands = $2 == "COMMANDS"; command = ""; next }
        /^\.SS / && commands { command = $2; synopsis = 1; next }
        /^\.PP/ { synopsis = 0 }
        command && (synopsis || head) { take($0) }
        { head = /^\.TP/ }' | sort -u
}
# "LETTER LONG" per row of the table in OPTIONS
table_options() {
    sed 's/\\-/-/g; s/\\f[BIRP]//g' "$page" |
        sed -nE '/^\.SH OPTIONS/,/^\.SH [^O]/s/^-(.)\t--([a-z-]+).*/\1 \2/p' | sort -u
}

options | grep -vE ' (help|usage|version)$' > "$work/help"
page_options > "$work/page"
awk '{ print $1, $3 }' "$work/help" | sort -u > "$work/wanted"
awk '$2 != "-" { print $2, $3 }' "$work/help" | sort -u > "$work/letters"
table_options > "$work/table"

status=0
report() { # TEXT: for the lines of standard input
    while read -r line; do
        echo "$1: $line"
        status=1
    done
}
# shared COMMAND: options of 'count' that another command takes as well
shared() { sed -n "s/^count /$1 /p" "$work/page"; }
{ cat "$work/page"; shared predict; shared explain; shared remove; } | sort -u > "$work/documented"
report "in --help, not in gpucal(1)" < <(comm -23 "$work/wanted" "$work/documented")
report "in gpucal(1), not in --help" < <(comm -13 "$work/wanted" "$work/page")
report "letter in --help, not in OPTIONS of gpucal(1)" < <(comm -23 "$work/letters" "$work/table")
report "letter in OPTIONS of gpucal(1), not in --help" < <(comm -13 "$work/letters" "$work/table")
exit $status
