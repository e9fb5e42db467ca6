/* Pi by random points: a generator of xor and shifts a work-item, counts added by an
 * atomic.
 */
uint xorshift(uint *state)
{
    uint x = *state;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    return *state = x;
}

__kernel void monte_carlo(volatile __global uint *inside, __global uint *seeds,
                          const uint samples)
{
    const size_t id = get_global_id(0);
    uint state = seeds[id] * 2654435761u + 1u, hits = 0;

    for (uint i = 0; i < samples; i++) {
        const float x = xorshift(&state) * 0x1p-32f;
        const float y = xorshift(&state) * 0x1p-32f;
        hits += (x * x + y * y < 1.0f) ? 1 : 0;
    }
    seeds[id] = state;
    atomic_add(inside, hits);
}
