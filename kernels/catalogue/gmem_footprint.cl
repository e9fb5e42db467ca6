/* Passes over the same data, each of which loads every element once.  The passes are the
 * second dimension of the NDRange: work-groups start pass by pass, so that a pass finds
 * the data of the pass before in a shared cache, but each block runs on another core,
 * whose private cache does not have it.
 *
 * PER_ITEM vectors per work-item are added up, and one element is stored, in each pass at
 * the same address: stores are few compared to loads.
 */
#define PASTE(a, b) a##b
#define VECTOR(type, width) PASTE(type, width)
#if WIDTH == 1
#define V T
#define TOTAL(v) (v)
#elif WIDTH == 2
#define V VECTOR(T, 2)
#define TOTAL(v) ((v).x + (v).y)
#else
#define V VECTOR(T, 4)
#define TOTAL(v) ((v).x + (v).y + (v).z + (v).w)
#endif

__kernel void gmem_footprint(__global T *result, __global const V *in)
{
    size_t first = LSIZE_0 * PER_ITEM * get_group_id(0) + get_local_id(0);
    V sum = (V)0;

    for (int j = 0; j < PER_ITEM; ++j)
        sum = sum + GPUCAL_TAG(footprint, in[first + LSIZE_0 * j]);
    result[get_global_id(0)] = TOTAL(sum);
}
