#!/bin/bash
# option_letters.sh GPUCAL - a letter is short for the same option in all commands.
set -eu
gpucal=$1
# shellcheck source=tests/mpi/cli/options.sh
. "$(dirname "$0")/options.sh"

all=$(options)
[ "$(wc -l <<< "$all")" -gt 100 ] || { echo "too few options found in --help:"; echo "$all"; exit 1; }

awk '$2 == "-" { next }
     !($2 in long) { long[$2] = $3; where[$2] = $1 }
     long[$2] != $3 {
         print "-" $2 " is --" long[$2] " in " where[$2] " and --" $3 " in " $1; bad = 1
     }
     END { exit bad }' <<< "$all"
# The other way round: an option has the same letter, or none, in all commands.
awk '!($3 in letter) { letter[$3] = $2; where[$3] = $1 }
     letter[$3] != $2 {
         print "--" $3 " is -" letter[$3] " in " where[$3] " and -" $2 " in " $1; bad = 1
     }
     END { exit bad }' <<< "$all"
