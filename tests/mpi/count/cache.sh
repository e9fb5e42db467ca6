#!/bin/bash
# cache.sh GPUCAL TESTS - kept counts: taken for the same kernel only, from the user's own
# folder only, and never wrong when files are damaged.
set -u
gpucal=$1 tests=$2
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
count() { "$gpucal" count "$@" -f yaml > out 2> err || fail "count $*: $(cat err)"; }
n_kept() { find "$folder" -type f 2> /dev/null | wc -l; }
expect_kept() { [ "$(n_kept)" = "$1" ] || fail "$2: $(n_kept) files, not $1"; }
# The kept profile of another kernel in place of one, which shows where it is taken from.
mark() { cat other_kernel > "$1"; }
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
for other in '--sub-group 32' '-D i=j' '-D HALF=2' '--assume n>=1' '--index-arithmetic' '--no-cache' \
    '--std=CL2.0' '--allow-estimates' '--sub-group 32 --traffic'; do
    # shellcheck disable=SC2086
    count k.cl "${ndrange[@]}" $other
    is_kept && fail "a profile of another request is taken: $other"
done
count k.cl -l 32 -g '64*ceil(n/64)'
is_kept && fail "a profile of other work-groups is taken"
for same in '-D X=1' '-D HALF_LIFE -D Y=X -D CL_USE=a' '-D X=1 -D Z=2'; do
    # shellcheck disable=SC2086
    count k.cl "${ndrange[@]}" $same
    is_kept || fail "macros that the source does not name matter: $same"
done
echo '#define HALF 0.25f' > half.h
count k.cl "${ndrange[@]}"
is_kept && fail "a profile of another included file is taken"
echo '#define HALF 0.5f' > half.h
grep -v include k.cl | sed 's/HALF/0.5f/' > alone.cl
cp alone.cl elsewhere.cl
count alone.cl "${ndrange[@]}"
expect_kept 12 "another source"
count elsewhere.cl "${ndrange[@]}"
expect_kept 12 "the same source in another file"

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
kept=$(n_kept)
for macro in 1 2; do
    { echo '#define JOIN(a, b) a##b
#define TWICE (2 * JOIN(FACT, OR))'; grep -v include k.cl | sed 's/HALF/TWICE/'; } > pasted.cl
    count pasted.cl "${ndrange[@]}" -D FACTOR=$macro
    kept=$((kept + 1))
    expect_kept $kept "a macro whose name is put together"
done
for line in '#define T __FILE__' '#define T __TIME__' '#if __has_include("half.h")
#endif'; do
    { echo "$line"; grep -v include k.cl | sed 's/HALF/0.5f/'; } > other.cl
    count other.cl "${ndrange[@]}"
    expect_kept "$kept" "$line"
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
chmod o-w "$folder"
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
    "$gpucal" count k.cl "${ndrange[@]}" -f yaml > /dev/null 2>&1 &
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
