#!/usr/bin/env bash
# abi.sh LIBRARY HEADER PACKAGING: no function or public type of the shared library differs from
# those of the last release (LIBRARY.abi, beside this file), and the list of symbols of its Debian
# package is complete.  Functions may have been added since.  scripts/packaging/renew-abi.sh
# writes both.
set -u
library=$1 header=$2 packaging=$3
here=$(dirname "$(readlink -f "$0")")
name=$(basename "${library%%.so*}")
for tool in abidiff dpkg-gensymbols; do
    command -v $tool >/dev/null || { echo "no $tool"; exit 77; }
done
[ "$(uname -m)" = x86_64 ] || { echo "the dump is of x86-64"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() { echo "FAILED: $*"; exit 1; }

# Types are public whose header is in this folder.
mkdir "$work/public"
cp "$header" "$work/public"
abidiff --headers-dir2 "$work/public" --drop-private-types --no-added-syms \
    "$here/$name.abi" "$library" || fail "the ABI differs from that of the last release: restore it, or take another
soname and write its dump with scripts/packaging/renew-abi.sh BUILD"

# A symbol that is gone is an error if its version is before the package's.  dpkg-gensymbols reads debian/ of the folder that it runs in.
soname=$(readelf -d "$library" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')
package=$name${soname##*.}
[ -s "$packaging/debian/$package.symbols" ] || fail "no list of symbols for the package $package of $soname"
version=$(sed -n 's/^project(gpucal VERSION \([0-9.]*\).*/\1/p' "$packaging/../../CMakeLists.txt")
cp -r "$packaging/debian" "$work/debian"
mkdir -p "$work/tree/usr/lib"
cp -L "$library" "$work/tree/usr/lib/$soname"
(cd "$work" && dpkg-gensymbols -c4 -q -p"$package" -v"$version-1" -Ptree -Osymbols \
    -e"$work/tree/usr/lib/$soname" -Idebian/"$package".symbols) >"$work/log" 2>&1 ||
    { cat "$work/log"; fail "the list of symbols: run scripts/packaging/renew-abi.sh BUILD"; }
