/* 'work' dependent multiplications and additions, and one store: work for the device that
 * hardly uses its memory.
 */
__kernel void transfer_overlap(__global float *result, int work)
{
    float x = get_local_id(0);

    for (int i = 0; i < work; ++i)
        x = 0.5f * x + 0.25f;
    result[get_global_id(0)] = x;
}
