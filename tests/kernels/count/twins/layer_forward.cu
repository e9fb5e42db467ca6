/* kernel: layer_forward<16, 8>
 *
 * Two arguments of a template.
 */
template <int Height, int Width>
__global__ void layer_forward(const float *input, const float *weights, float *partial,
                              const int hidden)
{
    __shared__ float node[Height];
    __shared__ float matrix[Height][Width];
    const auto tx = static_cast<int>(threadIdx.x), ty = int(threadIdx.y);
    const int in = Height * blockIdx.y + ty;
    const int out = Width * blockIdx.x + tx;

    if (tx == 0)
        node[ty] = input[in];
    __syncthreads();
    matrix[ty][tx] = weights[in * hidden + out] * node[ty];
    __syncthreads();
    for (int power = 2; power <= Height; power *= 2) {
        if (ty % power == 0)
            matrix[ty][tx] += matrix[ty + power / 2][tx];
        __syncthreads();
    }
    if (ty == 0)
        partial[blockIdx.y * hidden + out] = matrix[0][tx];
}
