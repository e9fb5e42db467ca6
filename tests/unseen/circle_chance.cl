/* A generator by shifts; 24 bits of each number. */
__kernel void circle_chance(__global int *hits, int n, int draws)
{
    uint s = get_global_id(0) * 2654435761u + 12345u;
    int inside = 0;

    if (get_global_id(0) >= n)
        return;
    for (int k = 0; k < draws; k++) {
        float x, y;

        s ^= s << 13;
        s ^= s >> 17;
        s ^= s << 5;
        x = (s >> 8) * 5.9604645e-8f;
        s ^= s << 13;
        s ^= s >> 17;
        s ^= s << 5;
        y = (s >> 8) * 5.9604645e-8f;
        inside += x * x + y * y < 1.0f;
    }
    hits[get_global_id(0)] = inside;
}
