#!/bin/bash
# Installs libgpucal into a folder of its own and builds the example scheduler on it, with
# pkg-config and with CMake.   test_install.sh BUILD CMAKE CC NM READELF
set -eu
build=$1 cmake=$2 cc=$3 nm=$4 readelf=$5
here=$(dirname "$(readlink -f "$0")")
data=$here/../data
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
prefix=$temp/prefix

fail() { echo "FAILED: $*"; exit 1; }

"$cmake" --build "$build" --target libgpucal >"$temp/log" 2>&1 || { cat "$temp/log"; exit 1; }
"$cmake" -DCMAKE_INSTALL_PREFIX="$prefix" -DCMAKE_INSTALL_LOCAL_ONLY=ON \
    -P "$build/store/cmake_install.cmake" >"$temp/log"
lib=$(find "$prefix" -name libgpucal.so.0)
[ -n "$lib" ] || fail "no libgpucal.so.0 installed"

# A scheduler must not drag in HDF5, MPI or a compiler.
needed=$("$readelf" -d "$lib" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p')
for n in $needed; do
    case $n in
    libyaml-0.so.*|libsodium.so.*|libm.so.*|libc.so.*|ld-linux*) ;;
    *) fail "libgpucal needs $n" ;;
    esac
done
# Only the public names, all of them.
exported=$("$nm" -D --defined-only "$lib" | awk '$2 == "T" { sub("@.*", "", $3); print $3 }' |
    sort -u)
declared=$(grep -o 'gpucal_[a-z_]*(' "$prefix/include/gpucal.h" | tr -d '(' | sort -u)
[ "$exported" = "$declared" ] || fail "exports and header differ:
$(diff <(echo "$exported") <(echo "$declared"))"

mkdir -p "$temp/store/nodes"
cp "$data/params-v1.yaml" "$temp/store/nodes/node17.yaml"
check() {
    out=$("$1" "$temp/store" "$data/mm.profile.yaml" 2048 node17:uuid:0b6f node17:uuid:7713) ||
        fail "$1 failed"
    # (2.571e-12 * 3 * 2048^2 + 7.2e-6) * 0.9875 and 2.385e-12, 1.0125
    [ "$(echo "$out" | sed -n 's/ [^ ]*$//p')" = "node17:uuid:0b6f 3.767537e-05
node17:uuid:7713 3.905628e-05
best:" ] && [ "${out##*best: }" = node17:uuid:0b6f ] || fail "$1 printed: $out"
}

pc=$(dirname "$(find "$prefix" -name gpucal.pc)")
flags=$(PKG_CONFIG_PATH=$pc pkg-config --cflags --libs gpucal)
"$cc" -Wall -Werror "$here/example/scheduler.c" $flags -Wl,-rpath,"$(dirname "$lib")" \
    -o "$temp/scheduler"
check "$temp/scheduler"

"$cmake" -S "$here/example" -B "$temp/build" -DCMAKE_PREFIX_PATH="$prefix" \
    -DCMAKE_C_COMPILER="$cc" >"$temp/log" 2>&1 || { cat "$temp/log"; exit 1; }
"$cmake" --build "$temp/build" >"$temp/log" 2>&1 || { cat "$temp/log"; exit 1; }
check "$temp/build/scheduler"
