#!/bin/bash
# build-deb.sh: builds gpucal's Debian packages and their source package.
#
#   scripts/packaging/build-deb.sh [-S] OUT
#
# The source is what git tracks in the checkout, changes that are not committed included; the
# version is that of CMakeLists.txt.  Everything is built below the folder OUT, which is made.
# $DEBFULLNAME and $DEBEMAIL are who the packages are by.
#
#   -S   only the source package, which needs no build dependencies
#   -h   this text
set -eu

top=$(cd "$(dirname "$0")/../.." && pwd)
source_only=''

die() {
    echo "build-deb.sh: $*" >&2
    exit 1
}

# The last field keeps a distribution's own first package, -1, ahead of these.
write_changelog() { # VERSION DATE
    cat << EOF
gpucal ($1-0gpucal1) unstable; urgency=medium

  * Packages of gpucal $1; CHANGELOG.md lists its changes.

 -- ${DEBFULLNAME:-gpucal developers} <${DEBEMAIL:-gpucal@packages.invalid}>  $2
EOF
}

# The same files give the same archive.
archive_source() { # NAME DATE: prints the archive
    git ls-files -z | while IFS= read -r -d '' file; do
        [ ! -e "$file" ] || printf '%s\0' "$file"
    done | tar -c --null -T - --sort=name --owner=0 --group=0 --numeric-owner --mtime="$2" \
        --transform="flags=r;s,^,$1/,"
}

while getopts :Sh option; do
    case $option in
    S) source_only=yes ;;
    h) sed -n '2,/^set -eu/s/^# \{0,1\}//p' "$0" && exit 0 ;;
    *) die "unknown option -$OPTARG (see -h)" ;;
    esac
done
shift $((OPTIND - 1))
[ $# = 1 ] || die "usage: build-deb.sh [-S] OUT"
command -v dpkg-buildpackage > /dev/null || die "dpkg-buildpackage not found: install dpkg-dev"
mkdir -p "$1"
out=$(cd "$1" && pwd)
cd "$top"
version=$(sed -n 's/^project(gpucal VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
date=$(git log -1 --format=%cD) || die "$top is no git checkout"

tree=$out/gpucal-$version
rm -rf "$tree"
archive_source "gpucal-$version" "$date" | xz -T2 -1 > "$out/gpucal_$version.orig.tar.xz"
tar -xf "$out/gpucal_$version.orig.tar.xz" -C "$out"
cp -r scripts/packaging/debian "$tree/debian"
write_changelog "$version" "$date" > "$tree/debian/changelog"
cd "$tree"
if [ "$source_only" ]; then
    dpkg-source --build .
else
    dpkg-buildpackage -us -uc
fi
