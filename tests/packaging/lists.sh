#!/usr/bin/env bash
# lists.sh CMAKE BUILD SOURCE LIBDIR: every file that is installed is in a Debian package, and
# every line of the packages' lists (scripts/packaging/debian/*.install) is about some file.
# What dpkg's tools would find at the end of a build of minutes.
set -u
cmake=$1 build=$2 lists=$3/scripts/packaging/debian libdir=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() { echo "FAILED: $*"; exit 1; }

DESTDIR=$work "$cmake" --install "$build" --prefix /usr >"$work/log" 2>&1 ||
    { cat "$work/log"; fail "cmake --install"; }
# Debian has libraries in a folder of the architecture.
mapfile -t files < <(cd "$work" && find usr \( -type f -o -type l \) |
    sed "s,^usr/$libdir/,usr/lib/ARCHITECTURE/," | sort)
[ ${#files[@]} -gt 20 ] || fail "only ${#files[@]} files are installed"
mapfile -t patterns < <(cat "$lists"/*.install)

missing=0
for file in "${files[@]}"; do
    for pattern in "${patterns[@]}"; do
        # shellcheck disable=SC2053 # a pattern
        if [[ $file == $pattern || $file == $pattern/* ]]; then continue 2; fi
    done
    echo "in no package: $file"
    missing=1
done
for pattern in "${patterns[@]}"; do
    for file in "${files[@]}"; do
        # shellcheck disable=SC2053 # a pattern
        if [[ $file == $pattern || $file == $pattern/* ]]; then continue 2; fi
    done
    # Slurm's headers are optional, and the Python package's folder is that of a distribution.
    [[ $pattern == */spank_gpucal.so || $pattern == usr/lib/python3/* ]] && continue
    echo "no file: $pattern"
    missing=1
done
[ $missing = 0 ] || fail "scripts/packaging/debian/*.install"

# Each package has a list, and the library's is named for its soname.
for package in $(sed -n 's/^Package: //p' "$lists/control"); do
    [ -s "$lists/$package.install" ] || fail "no $package.install"
done
