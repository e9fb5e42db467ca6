/* A layer of a neural network: products of a block of inputs with all weights in local
 * memory, summed down its columns by a tree.
 */
#define HEIGHT 16
#define WIDTH 8

__kernel void layer_forward(__global const float *input, __global const float *weights,
                            __global float *partial, const int hidden)
{
    __local float node[HEIGHT];
    __local float matrix[HEIGHT][WIDTH];
    const int tx = get_local_id(0), ty = get_local_id(1);
    const int in = HEIGHT * get_group_id(1) + ty;
    const int out = WIDTH * get_group_id(0) + tx;

    if (tx == 0)
        node[ty] = input[in];
    barrier(CLK_LOCAL_MEM_FENCE);
    matrix[ty][tx] = weights[in * hidden + out] * node[ty];
    barrier(CLK_LOCAL_MEM_FENCE);

    for (int power = 2; power <= HEIGHT; power *= 2) {
        if (ty % power == 0)
            matrix[ty][tx] += matrix[ty + power / 2][tx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (ty == 0)
        partial[get_group_id(1) * hidden + out] = matrix[0][tx];
}
