#!/bin/bash
# circles.sh BUILD: no source file of a library needs another that needs it in turn.
#
# Reads the object files of a build.  The parts of a recursive descent over a tree call each
# other by nature: each such folder, or group of files, counts as one file here.
set -eu -o pipefail
build=${1:?BUILD} top=$(cd "$(dirname "$0")/.." && pwd)

recursive='^(kernels/(poly|walk|interpret|remove)/|kernels/model/expr)'

# FILE TAB "D" or "U" TAB SYMBOL of every object whose source is in the tree: a build folder keeps
# those of files that are gone
symbols() {
    find "$build" -path "$build/tests" -prune -o -name '*.c.o' -print0 |
        xargs -0 nm -A -P | awk -v build="$build/" '
        {
            file = substr($1, length(build) + 1)
            sub(/CMakeFiles\/[^\/]*\.dir\//, "", file)
            sub(/\.o:$/, "", file)
        }
        $3 ~ /^[TDBRVWC]$/ { print file "\tD\t" $2 }
        $3 == "U" { print file "\tU\t" $2 }' |
        awk -F '\t' -v top="$top/" '
            !($1 in there) { there[$1] = (getline line < (top $1)) >= 0; close(top $1) }
            there[$1]'
}

edges() { # pairs of files, the one that needs and the one that is needed
    awk -F '\t' -v recursive="$recursive" '
        function group(file) {
            return match(file, recursive) ? substr(file, 1, RLENGTH) "*" : file
        }
        $2 == "D" { home[$3] = $1 }
        $2 == "U" { n++; from[n] = $1; symbol[n] = $3 }
        END {
            for (i = 1; i <= n; i++)
                if (symbol[i] in home && group(from[i]) != group(home[symbol[i]]))
                    print group(from[i]), group(home[symbol[i]])
        }' | sort -u
}

list=$(symbols | edges)
[ -n "$list" ] || { echo "no object files in $build" && exit 1; }
found=$(tsort <<< "$list" 2>&1 > /dev/null | sed 's/^tsort: //' || true)
[ -z "$found" ] && exit
echo "files that need each other:"
echo "$found"
exit 1
