/* Loads of data that the first-level cache holds, at subscripts with little or much arithmetic:
 *
 *   flat     a sum
 *   row      row and column of a two-dimensional NDRange: a product
 *   divided  row and column from one id: a quotient, a remainder and a product
 *   twice    page, row and column from one id: two of each
 *
 * The ends of rows are padding, so that no compiler takes the parts together again.
 */
#define flat(i) (i)
#define row(i) ((width + PADDING) * (int)get_global_id(1) + (i))
#define divided(i) ((width + PADDING) * ((i) / width) + (i) % width)
#define twice(i)                                                                         \
    ((width + PADDING) * ((height + PADDING) * ((i) / width / height) + (i) / width % height) + \
     (i) % width)

__kernel void index_ops(__global float *result, __global const float *in, int width, int height,
                        int m)
{
    int id = get_global_id(0);
    float sum = 0.0f;

    for (int k = 0; k < m; ++k)
        sum = sum + GPUCAL_TAG(index, in[SUBSCRIPT(id + k)]);
    GPUCAL_TAG(out, result[get_global_id(1) * get_global_size(0) + id]) = sum;
}
