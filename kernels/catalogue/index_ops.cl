/* Loads of local memory at subscripts with little or much arithmetic, so that little else costs
 * time:
 *
 *   flat     a sum
 *   row      a product with a size
 *   divided  row and column of the iteration: a quotient and a remainder by a size, a product
 *   twice    page, row and column of the iteration: two of each
 *
 * Rows and pages end with padding, so that no compiler puts the parts together again.  'steps' must
 * stay an argument: were it known, a compiler could compute the subscripts once.
 */
#define flat(k)    (l + (k))
#define row(k)     (l + width * (k))
#define divided(k) (l + (width + 1) * ((k) / width) + (k) % width)
#define twice(k)                                                                         \
    (l + (width + 1) * ((height + 1) * ((k) / width / height) + (k) / width % height) +  \
     (k) % width)

__kernel void index_ops(__global float *result, int width, int height, int steps, int m)
{
    __local float slots[9 * 256];
    int l = get_local_id(0);
    float sum = 0.0f;

    for (int j = 0; j < 9; ++j)
        slots[256 * j + l] = (float)(256 * j + l);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int it = 0; it < m; ++it)
        for (int k = 0; k < steps; ++k)
            sum = sum + slots[SUBSCRIPT(k)];
    GPUCAL_TAG(out, result[get_global_id(0)]) = sum;
}
