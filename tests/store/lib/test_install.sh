#!/bin/bash
# Installs libgpucal, libgpucal-count and the examples into a new folder, checks the library's dependencies and
# exports and that its header needs no other, builds the examples with pkg-config and with
# CMake, and runs them.
#   test_install.sh BUILD CMAKE CC NM READELF GPUCAL
set -eu
build=$1 cmake=$2 cc=$3 nm=$4 readelf=$5 gpucal=$6
data=$(dirname "$(readlink -f "$0")")/../../data
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
prefix=$temp/prefix

fail() { echo "FAILED: $*"; exit 1; }
quiet() { "$@" >"$temp/log" 2>&1 || { cat "$temp/log"; fail "$*"; }; }

quiet "$cmake" --build "$build" --target libgpucal libgpucal_count gpucal_module
for part in store/lib kernels/lib kernels/frontend docs; do
    quiet "$cmake" -DCMAKE_INSTALL_PREFIX="$prefix" -DCMAKE_INSTALL_LOCAL_ONLY=ON \
        -P "$build/$part/cmake_install.cmake"
done
lib=$(find "$prefix" -name libgpucal.so.1)
[ -n "$lib" ] || fail "no libgpucal.so.1 installed"
header=$prefix/include/gpucal.h
examples=$prefix/share/doc/gpucal/examples
[ -s "$examples/baselines.yaml" ] || fail "the configuration of the baselines is not installed"
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name gpucal.pc)")
LD_LIBRARY_PATH=$(dirname "$lib")
export PKG_CONFIG_PATH LD_LIBRARY_PATH

# ---- the library ----

# A scheduler must not depend on HDF5, MPI or a compiler.
needed=$("$readelf" -d "$lib" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p')
for n in $needed; do
    case $n in
    libyaml-0.so.*|libsodium.so.*|libm.so.*|libc.so.*|ld-linux*) ;;
    *) fail "libgpucal needs $n" ;;
    esac
done
# libgpucal-count loads what needs libclang when it is first used.
count=$(dirname "$lib")/libgpucal-count.so.1
needed=$("$readelf" -d "$count" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p')
for n in $needed; do
    case $n in
    libgpucal.so.1|libyaml-0.so.*|libsodium.so.*|libm.so.*|libc.so.*|ld-linux*) ;;
    *) fail "libgpucal-count needs $n" ;;
    esac
done
# Only the public names, all of them, with their version.
check_exports() { # LIBRARY HEADER VERSION
    local exported declared
    exported=$("$nm" -D --defined-only "$1" | awk '$2 == "T" { print $3 }' | sort -u)
    declared=$(grep -v '^ \*\|^/\*' "$2" | grep -o 'gpucal_[a-z_]*(' |
        sed "s/(.*/@@$3/" | sort -u)
    [ "$exported" = "$declared" ] || fail "exports of $1 and its header differ:
$(diff <(echo "$exported") <(echo "$declared"))"
}
check_exports "$lib" "$header" GPUCAL_1
check_exports "$count" "${header%/*}/gpucal_count.h" GPUCAL_COUNT_1

# ---- the header, alone ----

check_header() { # NAME
    echo "#include <$1>" >"$temp/alone.c"
    cp "$temp/alone.c" "$temp/alone.cpp"
    for standard in c99 c11; do
        quiet "$cc" -std=$standard -pedantic -Wall -Wextra -Werror -I"$prefix/include" \
            -fsyntax-only "$temp/alone.c"
    done
    for cxx in g++ clang++; do
        command -v $cxx >/dev/null || continue
        quiet $cxx -std=c++11 -pedantic -Wall -Wextra -Werror -I"$prefix/include" \
            -fsyntax-only "$temp/alone.cpp"
    done
}

check_header gpucal.h
check_header gpucal_count.h
check_header gpucal_opencl.h

# ---- the examples of the manual ----

# The first program of a page: it compiles, and ends with a message, as its store is not there.
manual_example() { # PAGE
    sed -n '/^\.SH EXAMPLE/,/^\.fi/p' "$(dirname "$0")/../../../docs/$1" | sed '1,/^\.nf/d; /^\.fi/d; s/\\e/\\/g'
}
{
    printf '#include <gpucal.h>\n#include <stdio.h>\nint main(void)\n{\n'
    manual_example libgpucal.3
    printf 'gpucal_model_close(model);\ngpucal_profile_close(profile);\ngpucal_device_close(device);\n'
    printf 'gpucal_store_close(store);\nreturn 0;\n}\n'
} >"$temp/page.c"
quiet "$cc" -std=c99 -Wall -Wextra -Werror "$temp/page.c" -I"$prefix/include" -L"$LD_LIBRARY_PATH" -lgpucal -o "$temp/page"
"$temp/page" 2>"$temp/log" || fail "the example of libgpucal(3) ended with $?"
grep -q '^store /shared/gpucal: No such file' "$temp/log" || fail "the example of libgpucal(3): $(cat "$temp/log")"
{
    printf '#include <gpucal_count.h>\nstruct gpucal_profile *count(struct gpucal_device *device);\n'
    printf 'struct gpucal_profile *count(struct gpucal_device *device)\n{\nstruct gpucal_error err;\n'
    manual_example libgpucal-count.3
    printf 'return profile;\n}\n'
} >"$temp/page.c"
quiet "$cc" -std=c99 -Wall -Wextra -Werror -fsyntax-only "$temp/page.c" -I"$prefix/include"

# ---- the examples ----

build_example() { # NAME, with pkg-config and with CMake
    quiet "$cmake" -S "$examples/$1" -B "$temp/cmake-$1" -DCMAKE_PREFIX_PATH="$prefix" \
        -DCMAKE_C_COMPILER="$cc"
    quiet "$cmake" --build "$temp/cmake-$1"
    quiet make -C "$examples/$1" CC="$cc" CFLAGS="-O2 -Wall -Wextra -Werror"
}

mkdir -m 755 "$temp/store" "$temp/store/nodes"
cp "$data/node17.yaml" "$temp/store/nodes/node17.yaml"

build_example scheduler
for program in "$temp/cmake-scheduler/scheduler" "$examples/scheduler/scheduler"; do
    out=$("$program" "$temp/store" "$data/mm.profile.yaml" 2048 node17:uuid:0b6f \
        node17:uuid:7713) || fail "$program failed"
    # (2.571e-12 * 3 * 2048^2 + 7.2e-6) * 0.9875 and 2.385e-12, 1.0125
    [ "$(echo "$out" | sed -n 's/ [^ ]*$//p')" = "node17:uuid:0b6f 3.767537e-05
node17:uuid:7713 3.905628e-05
best:" ] && [ "${out##*best: }" = node17:uuid:0b6f ] || fail "$program printed: $out"
done

# Counted within the program, for a device, a kernel has the prediction of the command.
mkdir -m 755 "$temp/vm" "$temp/vm/nodes"
cp "$data/general/h200.yaml" "$temp/vm/nodes/vm.yaml"
echo 'void saxpy(float a, int i, __global const float *x, __global float *y) { y[i] += a * x[i]; }' \
    >"$temp/saxpy.h"
cat >"$temp/saxpy.cl" <<'END'
#include "saxpy.h"
__kernel void run(__global const float *x, __global float *y, float a, int n)
{
    if (get_global_id(0) < n)
        saxpy(a, get_global_id(0), x, y);
}
END
build_example counter
expected=$("$gpucal" predict "$temp/saxpy.cl" -l 256 -g n -A n=16777216 --store "$temp/vm" \
    --node vm | sed -n 's/^NVIDIA H200 .*predicted \(.*\) us, .* \(.*\) to \(.*\) us .*/\1 us, \2 to \3 us/p')
for program in "$temp/cmake-counter/counter" "$examples/counter/counter"; do
    out=$("$program" "$temp/vm" vm "$temp/saxpy.cl" 256 n n=16777216) || fail "$program failed"
    [ "$out" = "gpu NVIDIA H200: $expected" ] || fail "$program printed: $out, not $expected"
done
"$temp/cmake-counter/counter" "$temp/vm" vm "$temp/saxpy.h" 256 n n=64 >"$temp/log" 2>&1 &&
    fail "counter found a kernel in saxpy.h"
grep -q "saxpy.h" "$temp/log" || fail "counter said: $(cat "$temp/log")"
# Without the module there is a message, and libgpucal works.
mv "$(find "$prefix" -name gpucal-frontend.so)" "$temp/hidden.so"
"$temp/cmake-counter/counter" "$temp/vm" vm "$temp/saxpy.cl" 256 n n=64 >"$temp/log" 2>&1 &&
    fail "counter counted without the front end"
grep -q "front end for OpenCL C is missing" "$temp/log" || fail "counter said: $(cat "$temp/log")"

# The splitter on two devices of PoCL, one three times slower by its file: 24 and 8 of 32
# work-groups.
build_example splitter
profile=$examples/splitter/rows.profile.yaml
quiet "$gpucal" count "$examples/splitter/rows.cl" --local 16,2 --global n/16,rows/8 \
    --assume 'n % 256 = 0 and n >= 256 and rows % 16 = 0 and rows >= 16' \
    -o "$temp/rows.profile.yaml"
cmp "$profile" "$temp/rows.profile.yaml" || fail "rows.profile.yaml is not of rows.cl"
export POCL_DEVICES="basic pthread"
mapfile -t names < <("$gpucal" devices 2>/dev/null | grep -v '^ ' | grep -E '^(basic|pthread)-')
[ ${#names[@]} = 2 ] || fail "no two devices of PoCL: ${names[*]-none}"
mkdir -m 755 "$temp/two" "$temp/two/nodes"
awk -v first="${names[0]}" -v second="${names[1]}" '
    /^  name:/ { $0 = "  name: \"" (n++ ? second : first) "\"" }
    /^model:/ { m++ }
    /^factor:/ { $0 = "factor: 1" }
    /p_madd, value/ { sub("value: [^,]*", "value: " (m == 1 ? "1e-10" : "3e-10")) }
    { print }' "$data/node17.yaml" >"$temp/two/nodes/node17.yaml"
for program in "$temp/cmake-splitter/splitter" "$examples/splitter/splitter"; do
    out=$("$program" "$temp/two" node17 "$profile" "$examples/splitter/rows.cl" 512) ||
        fail "$program failed"
    rows=$(echo "$out" | sed -n 's/.* \([0-9]*\) rows .*/\1/p' | tr '\n' ' ')
    [ "$rows" = "256 256 384 128 " ] || fail "$program printed: $out"
    [[ $out == *"results are right"* ]] || fail "$program printed: $out"
done

# A device that has an address is looked for by that alone: the PCI address of the file.
cat >"$temp/at.c" <<'EOF'
#include <gpucal.h>
#include <gpucal_opencl.h>

/* In place of OpenCL's: a device with a PCI address, 3b:00.0 or that of the second argument. */
static const char *slot;

cl_int clGetDeviceInfo(cl_device_id id, cl_device_info what, size_t size, void *value, size_t *has)
{
    cl_uint khr[4] = { 0, 0, 0, 0 };

    (void)id;
    if (what != GPUCAL_OPENCL_PCI_BUS_INFO_KHR)
        return CL_INVALID_VALUE;
    sscanf(slot, "%x:%x.%x", &khr[1], &khr[2], &khr[3]);
    if (has)
        *has = sizeof(khr);
    if (value)
        memcpy(value, khr, size);
    return CL_SUCCESS;
}

int main(int argc, char **argv)
{
    struct gpucal_error err = { 0 };
    struct gpucal_store *store = gpucal_store_open(argv[1], &err);
    struct gpucal_device *device;

    slot = argv[argc - 1];
    device = gpucal_opencl_device_open(store, "vm", NULL, &err);
    puts(device ? gpucal_device_name(device) : err.text);
    return err.code >> 8;
}
EOF
mkdir -m 755 "$temp/at" "$temp/at/nodes"
cp "$data/general/h200.yaml" "$temp/at/nodes/vm.yaml"
quiet "$cc" -std=c99 -D_POSIX_C_SOURCE=200809L -DCL_TARGET_OPENCL_VERSION=120 -Wall -Wextra \
    -Werror "$temp/at.c" -I"$prefix/include" -L"$LD_LIBRARY_PATH" -lgpucal -o "$temp/at/at"
[ "$("$temp/at/at" "$temp/at" 00:06.0)" = "NVIDIA H200" ] || fail "no device at 00:06.0"
out=$("$temp/at/at" "$temp/at" 3b:00.0) && fail "a device at 3b:00.0"
[ "$out" = "node vm: no device at 0000:3b:00.0 is calibrated" ] || fail "at 3b:00.0: $out"
