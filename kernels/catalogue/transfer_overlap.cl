/* 'work' multiplications and additions that wait for each other, and one store: work for
 * the device that leaves its memory to others.
 */
__kernel void transfer_overlap(__global float *result, int work)
{
    float x = get_local_id(0);

    for (int i = 0; i < work; ++i)
        x = 0.5f * x + 0.25f;
    result[get_global_id(0)] = x;
}
