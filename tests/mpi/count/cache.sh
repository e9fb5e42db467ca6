#!/bin/bash
# cache.sh GPUCAL TESTS HEADERS - kept counts: taken for the same kernel only, from the user's own
# folder only, and never wrong when files are damaged.
set -u
gpucal=$1 tests=$2 headers=$3
work=$(mktemp -d "${TMPDIR:-/tmp}/gpucal-test.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
unset GPUCAL_STORE SLURMD_NODENAME
export XDG_CACHE_HOME=$work/cache
folder=$XDG_CACHE_HOME/gpucal
n_failed=0

fail() {
    echo "FAILED: $*"
    n_failed=$((n_failed + 1))
}
count() { "$gpucal" count --sub-group 16 "$@" -f yaml > out 2> err || fail "count $*: $(cat err)"; }
n_kept() { find "$folder" -type f 2> /dev/null | wc -l; }
expect_kept() { [ "$(n_kept)" = "$1" ] || fail "$2: $(n_kept) files, not $1"; }
# The kept profile of another kernel as that of one, which shows where it is taken from.
mark() {
    tail -n +2 other_kernel > body
    printf 'gpucal count 5 %s %s\n' "$(basename "$1")" "$(b2sum -l 256 body | cut -d ' ' -f 1)" > "$1"
    cat body >> "$1"
}
is_kept() { grep -q '^kernel: kept' out; }
echo 'kernel void kept(global float *a) { a[get_global_id(0)] = 0; }' > kept.cl
XDG_CACHE_HOME=$work/other count kept.cl -l 64 -g n
cat "$work"/other/gpucal/* > other_kernel

cat > half.h << 'END'
#define HALF 0.5f
END
cat > k.cl << 'END'
#include "half.h"
kernel void k(global float *a, int n)
{
    int i = get_global_id(0);
    if (i < n)
        a[i] *= HALF;
}
END
ndrange=(-l 64 -g '64*ceil(n/64)')

# ---- the same request, and others ----
count k.cl "${ndrange[@]}" && cp out first
expect_kept 1 "first count"
count k.cl "${ndrange[@]}"
cmp -s out first || fail "a kept profile differs"
expect_kept 1 "second count"
file=$(find "$folder" -type f)
mark "$file"
count k.cl "${ndrange[@]}"
is_kept || fail "the kept profile is not taken"
for other in '--sub-group 32' '-D i=j' '-D HALF=2' '--assume n>=1' '--banks 8' '--no-cache' \
    '--std=CL2.0' '--allow-estimates' '--sub-group 32 --traffic=64'; do
    # shellcheck disable=SC2086
    count k.cl "${ndrange[@]}" $other
    is_kept && fail "a profile of another request is taken: $other"
done
count k.cl -l 32 -g '64*ceil(n/64)'
is_kept && fail "a profile of other work-groups is taken"
echo '#define HALF 0.25f' > half.h
count k.cl "${ndrange[@]}"
is_kept && fail "a profile of another included file is taken"
echo '#define HALF 0.5f' > half.h
grep -v include k.cl | sed 's/HALF/0.5f/' > alone.cl
cp alone.cl elsewhere.cl
count alone.cl "${ndrange[@]}"
expect_kept 12 "another source"
count elsewhere.cl "${ndrange[@]}"
expect_kept 13 "the same source in another file"
cp other_kernel "$folder/$(printf '%064x' 1)" && cp "$folder/$(printf '%064x' 1)" "$file"
count k.cl "${ndrange[@]}"
cmp -s out first || fail "a copy of another kernel's profile is taken"
mark "$file"
rm "$folder/$(printf '%064x' 1)"

# ---- what is kept needs no front end, at given sizes too, where the source is described ----
cat > life.cl << 'END'
kernel void k(global const uchar *a, global uchar *b, int w, int h)
{
    int x = get_global_id(0), y = get_global_id(1), n = 0;
    if (x >= w || y >= h)
        return;
    for (int v = y - 1; v <= y + 1; v++)
        for (int u = x - 1; u <= x + 1; u++)
            n += a[(v + h) % h * w + (u + w) % w];
    b[y * w + x] = n;
}
END
mkdir bin && cp "$gpucal" bin
predict() { "$1" predict life.cl -l 32,4 -g '32*ceil(w/32),4*ceil(h/4)' --at w=4000,h=4000 --params "$tests/data/general/h200.yaml" 2>&1; }
predict "$gpucal" > first_life
predict bin/gpucal > out || fail "a kept count at sizes, without the front end"
diff first_life out || fail "a prediction at sizes from kept counts differs"

# ---- kernels of the catalogue ----
kept=$(n_kept)
"$gpucal" kernels increment N:64,128 F:1,4 --counts > cold || fail "kernels"
expect_kept $((kept + 4)) "variants of a kernel"
"$gpucal" kernels increment N:64,128 F:1,4 --counts > warm || fail "kernels, again"
expect_kept $((kept + 4)) "variants of a kernel, again"
cmp -s cold warm || fail "kept profiles of variants differ"
XDG_CACHE_HOME=/dev/null "$gpucal" kernels increment N:64,128 F:1,4 --counts | cmp -s - cold ||
    fail "kernels without a cache differ"

# ---- what the compiler reads itself ----
loop() {
    cat << END
kernel void loop(global float *a)
{
    for (int j = 0; j < $1; j++)
        a[get_global_id(0)] += 1.0f;
}
END
}
# With each value of -D LIM, the counts without the cache, whatever joins the name.
while read -r definition; do
    printf '%b\n' "$definition" > limit.cl
    loop 'PASTE(LI, M)' >> limit.cl
    for limit in 3 5000; do
        count limit.cl -l 64 -g n -D LIM=$limit --no-cache
        cp out whole
        count limit.cl -l 64 -g n -D LIM=$limit
        cmp -s out whole || fail "-D LIM=$limit: the counts of another value: $definition"
        count limit.cl -l 64 -g n -D LIM=$limit
        cmp -s out whole || fail "-D LIM=$limit: other counts when kept: $definition"
    done
done << 'DEFINITIONS'
#define PASTE(a, b) a##b
#define PASTE(a, b) a %:%: b
#define PASTE(a, b) a ?\077=?\077= b
#define PASTE(a, b) LI\\\nM
#define PASTE(a, b) LI?\077/\nM
DEFINITIONS
loop 'PASTE(LI, M)' > limit.cl
for limit in 3 5000; do
    count limit.cl -l 64 -g n -D 'PASTE(a,b)=a##b' -D LIM=$limit
    grep -q "count: $limit\*n" out || fail "## in an option: $limit loops"
done
{ printf '#if defined(FO\\\nO)\n#define N 7\n#else\n#define N 3\n#endif\n'; loop N; } > joined.cl
count joined.cl -l 64 -g n
count joined.cl -l 64 -g n -D FOO
grep -q 'count: 7\*n' out || fail "a continued line: not the 7 loops of -D FOO"

# ---- what the compiler reads itself ----
mkdir stray
cp "$headers/opencl-c-base.h" stray
sed -i '$i #undef N\n#define N 77' stray/opencl-c-base.h
printf '#define N 77\n' > stray/stdint.h
loop N > plain.cl
{ echo '#include <stdint.h>'; loop N; } > include.cl
for variable in CPATH C_INCLUDE_PATH CPLUS_INCLUDE_PATH OBJC_INCLUDE_PATH CCC_OVERRIDE_OPTIONS; do
    value=$PWD/stray
    [ $variable = CCC_OVERRIDE_OPTIONS ] && value="+-DN=77"
    for source in plain include; do
        env $variable="$value" "$gpucal" count $source.cl -l 64 -g n -D N=11 --sub-group 64 -f yaml > out 2> err || fail "$variable: $(cat err)"
        grep -q 'count: 11\*n' out || fail "$variable changes the count of $source.cl"
    done
done
(cd stray && "$gpucal" count ../plain.cl -l 64 -g n -D N=11 --sub-group 64 -f yaml) > out
grep -q 'count: 11\*n' out || fail "a header in the working folder goes before clang's"
cp -rL "$headers" own_headers
GPUCAL_CLANG_INCLUDE=$PWD/own_headers count plain.cl -l 64 -g n -D N=11
for folder_name in own_headers ./own_headers/ "$PWD/stray/../own_headers"; do
    GPUCAL_CLANG_INCLUDE=$folder_name count include.cl -l 64 -g n -D N=11
    grep -q 'count: 11\*n' out || fail "headers in $folder_name"
done
sed -i '$i #undef N\n#define N 77' own_headers/opencl-c-base.h
GPUCAL_CLANG_INCLUDE=$PWD/own_headers count plain.cl -l 64 -g n -D N=11
grep -q 'count: 77\*n' out || fail "a changed header of \$GPUCAL_CLANG_INCLUDE is not read"
kept=$(n_kept)
for line in '#if __has_include("half.h")
#endif' '#if __has_\
include("half.h")
#endif'; do
    { echo "$line"; grep -v include k.cl | sed 's/HALF/0.5f/'; } > other.cl
    "$gpucal" count other.cl "${ndrange[@]}" > out 2> err && fail "a file is looked for: $line"
done
for line in '#define INCLUDED "half.h" /* import */'; do
    { echo "$line"; grep -v include k.cl | sed 's/HALF/0.5f/'; } > other.cl
    count other.cl "${ndrange[@]}"
    expect_kept "$kept" "$line"
done
{ echo '#define JOIN(a, b) a##b
#if JOIN(__has_inc, lude)("half.h")
#endif'; loop 3; } > other.cl
"$gpucal" count other.cl -l 64 -g n > out 2> err && fail "a file is looked for by a name that is put together"
for clock in __TIME__ __DATE__ __TIMESTAMP__; do
    loop "sizeof($clock \"\")" > clock.cl
    count clock.cl -l 64 -g n
    expect_kept $((kept += 1)) $clock
done
for name in a.cl longer.cl; do
    loop 'sizeof(__FILE__)' > $name
    count $name -l 64 -g n
    grep -q "count: $((${#name} + 1))\*n" out || fail "__FILE__ in $name: $(grep add out)"
done

# ---- damage ----
for damage in 'truncate -s 100' 'truncate -s 0' 'sed -i s/f_mem_/f_mme_/' 'shred -s 500'; do
    $damage "$file"
    count k.cl "${ndrange[@]}"
    cmp -s out first || fail "wrong after '$damage'"
    mark "$file" && count k.cl "${ndrange[@]}"
    is_kept || fail "not written again after '$damage'"
done
rm "$file" && mkdir "$file"
count k.cl "${ndrange[@]}"
cmp -s out first || fail "wrong with a folder in place of the file"
rmdir "$file"

# ---- folders of others ----
count k.cl "${ndrange[@]}" && mark "$file"
chmod o+w "$folder"
count k.cl "${ndrange[@]}"
is_kept && fail "taken from a folder that all may write to"
chmod o-w,g+w "$folder"
count k.cl "${ndrange[@]}"
is_kept && fail "taken from a folder that a group may write to"
chmod g-w "$folder"
chmod g+w "$file"
count k.cl "${ndrange[@]}"
is_kept && fail "a file is taken that a group may write to"
mark "$file" && chmod go-w "$file"
if [ "$(id -u)" = 0 ]; then
    chown 1 "$folder"
    count k.cl "${ndrange[@]}"
    is_kept && fail "taken from a folder of another user"
    chown 0 "$folder"
fi
count k.cl "${ndrange[@]}"
is_kept || fail "not taken from the user's folder"
XDG_CACHE_HOME=relative count k.cl "${ndrange[@]}"
[ -e relative ] && fail "a relative folder is used"
XDG_CACHE_HOME=/dev/null count k.cl "${ndrange[@]}"
env -u XDG_CACHE_HOME -u HOME "$gpucal" count k.cl "${ndrange[@]}" > /dev/null 2>&1 ||
    fail "no count without HOME"

# ---- limits, and processes at once ----
for i in $(seq 12100); do
    printf '%064x' "$i"
    echo
done | (cd "$folder" && xargs touch -d 2001-01-01)
count k.cl "${ndrange[@]}" -D a=y
[ "$(n_kept)" -lt 9200 ] || fail "$(n_kept) files are kept"
[ -e "$file" ] || fail "a new file was removed before old ones"
rm -rf "$folder"
for _ in 1 2 3 4; do
    "$gpucal" count k.cl "${ndrange[@]}" --sub-group 16 -f yaml > /dev/null 2>&1 &
done
wait
expect_kept 1 "four at once"
count k.cl "${ndrange[@]}"
cmp -s out first || fail "wrong after four at once"

# ---- every kept profile is that of the count, with long expressions too ----
while read -r name local global; do
    count "$tests/own/own.cl" -k "$name" -l "$local" -g "$global" --no-cache
    cp out whole
    count "$tests/own/own.cl" -k "$name" -l "$local" -g "$global"
    count "$tests/own/own.cl" -k "$name" -l "$local" -g "$global"
    cmp -s out whole || fail "$name: a kept profile differs"
done << KERNELS
saxpy 256 gx
conv5x5 16,16 gx,gy
transpose 16,16 n,n
stencil7 8,4,4 gx,gy,gz
dot_groups 128 floor((n+255)/256)*128
KERNELS
[ $n_failed = 0 ]
