#!/bin/bash
# renew-abi.sh: keeps what programs may rely on in the shared libraries, at a release.
#
#   scripts/packaging/renew-abi.sh BUILD
#
# For each library of the folder BUILD, which has debug information: tests/packaging/LIBRARY.abi, its
# functions and public types, and the Debian package's list of symbols, to which new ones are
# added with the version of CMakeLists.txt.  Look at what git diff says: a line that is gone
# breaks programs, and needs another soname.
set -eu

top=$(cd "$(dirname "$0")/../.." && pwd)

die() {
    echo "renew-abi.sh: $*" >&2
    exit 1
}

# A header is public if it is in the folder, and its types are kept.
dump_types() { # LIBRARY HEADER DUMP
    local public struct

    public=$(mktemp -d)
    cp "$2" "$public"
    abidw --exported-interfaces-only --headers-dir "$public" --drop-private-types \
        --no-comp-dir-path --short-locs --no-corpus-path --no-elf-needed --type-id-style hash \
        --out-file "$3" "$1"
    rm -r "$public"
    for struct in $(sed -n 's/^struct \([a-z_]*\) {.*/\1/p' "$2"); do
        grep -q "class-decl name='$struct' size-in-bits" "$3" || die "$3 lacks struct $struct of $2"
    done
}

# Debian's format: the head, then a line "name@NODE since" each.  Not every linker has a symbol for
# a node of versions itself.
list_symbols() { # LIBRARY VERSION FILE
    local soname name

    soname=$(readelf -d "$1" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')
    name=${soname%.so.*}
    printf '%s %s #MINVER#\n* Build-Depends-Package: %s-dev\n' "$soname" "$name${soname##*.}" "$name"
    nm -D --defined-only "$1" | awk -v version="$2" -v file="$3" '
        BEGIN { while ((getline < file) > 0) if (/^ /) since[$1] = $2 }
        function list(symbol) { print " " symbol, symbol in since ? since[symbol] : version }
        split($3, part, "@@") == 2 && $2 != "A" {
            list(part[1] "@" part[2])
            nodes[part[2]]
        }
        END { for (node in nodes) list("(optional)" node "@" node) }' | LC_ALL=C sort
}

[ $# = 1 ] || die "usage: renew-abi.sh BUILD"
command -v abidw > /dev/null || die "abidw not found: install abigail-tools"
version=$(sed -n 's/^project(gpucal VERSION \([0-9.]*\).*/\1/p' "$top/CMakeLists.txt")
while read -r library header; do
    name=$(basename "$library" .so)
    soname=$(readelf -d "$1/$library" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')
    symbols=$top/scripts/packaging/debian/$name${soname##*.}.symbols
    dump_types "$1/$library" "$top/$header" "$top/tests/packaging/$name.abi"
    list_symbols "$1/$library" "$version" "$symbols" > "$symbols.new"
    mv "$symbols.new" "$symbols"
done << EOF
store/lib/libgpucal.so store/lib/gpucal.h
kernels/lib/libgpucal-count.so kernels/lib/gpucal_count.h
EOF
