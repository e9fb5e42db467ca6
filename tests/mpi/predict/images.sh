#!/bin/bash
# images.sh GPUCAL DATA - images have a cost: no copy of one is predicted to be faster than its
# bytes are, at the memory's bandwidth, and nothing of it is left out.
set -eu
gpucal=$1 data=$2
out=$(mktemp -d)
trap 'rm -r "$out"' EXIT
export OCL_ICD_VENDORS=/nonexistent XDG_CACHE_HOME=$out
cat > "$out/k.cl" <<'KERNEL'
const sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
kernel void copy(read_only image2d_t a, write_only image2d_t b)
{
    int2 p = (int2)(get_global_id(0), get_global_id(1));
    write_imagef(b, p, read_imagef(a, nearest, p));
}
kernel void integers(read_only image2d_t a, write_only image2d_t b)
{
    int2 p = (int2)(get_global_id(0), get_global_id(1));
    write_imageui(b, p, read_imageui(a, p));
}
kernel void floating(read_only image2d_t a, write_only image2d_t b)
{
    int2 p = (int2)(get_global_id(0), get_global_id(1));
    write_imagef(b, p, read_imagef(a, nearest, convert_float2(p) + 0.5f));
}
kernel void turned(read_only image2d_t a, write_only image2d_t b)
{
    int2 p = (int2)(get_global_id(0), get_global_id(1));
    write_imagef(b, p.yx, read_imagef(a, nearest, p));
}
kernel void layers(read_only image2d_array_t a, write_only image2d_t b)
{
    int2 p = (int2)(get_global_id(0), get_global_id(1));
    write_imagef(b, p, read_imagef(a, nearest, (int4)(p, 1, 0)));
}
kernel void volume(read_only image3d_t a, write_only image2d_t b)
{
    int2 p = (int2)(get_global_id(0), get_global_id(1));
    write_imagef(b, p, read_imagef(a, nearest, (int4)(p, 1, 0)));
}
kernel void scattered(read_only image2d_t a, global const int2 *where, write_only image2d_t b)
{
    int2 p = (int2)(get_global_id(0), get_global_id(1));
    write_imagef(b, p, read_imagef(a, nearest, where[p.x + get_global_size(0)*p.y]));
}
kernel void line(read_only image1d_buffer_t a, write_only image2d_t b)
{
    int2 p = (int2)(get_global_id(0), get_global_id(1));
    write_imagef(b, p, read_imagef(a, p.x + (int)get_global_size(0)*p.y));
}
KERNEL
for params in h200 h100; do
    for kernel in copy integers floating turned layers volume scattered line; do
        for side in 8192 16384; do
            "$gpucal" predict "$out/k.cl" --kernel $kernel --local 32,8 --global n,n \
                --at n=$side --params "$data/general/$params.yaml" --model general --json \
                > "$out/answer" 2> "$out/notes"
            python3 - "$out/answer" $params $kernel $side <<'CHECK'
import json, sys
answer, (params, kernel, side) = json.load(open(sys.argv[1])), sys.argv[2:]
least_s = 2*16*int(side)**2/{"h200": 4.8e12, "h100": 3.35e12}[params]
if answer["time_s"] < least_s:
    sys.exit("%s of %s on an %s: %g s, its bytes take %g s" % (kernel, side, params, answer["time_s"], least_s))
if answer["not_covered"] != 0:
    sys.exit("%s: not covered: %s" % (kernel, answer["gaps"]))
CHECK
            grep -q 'lays out this image' "$out/notes"
        done
    done
done
