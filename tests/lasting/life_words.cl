__kernel void life_words(__global const uint *a, __global uint *b, int w, int h)
{
    int x = get_global_id(0), y = get_global_id(1);

    if (x >= w || y >= h)
        return;
    uint one = 0, two = 0, four = 0, self = a[y * w + x];

    for (int dy = -1; dy <= 1; dy++) {
        int r = (y + dy + h) % h * w;
        uint m = a[r + x], l = a[r + (x + w - 1) % w], g = a[r + (x + 1) % w];
        uint left = (m << 1) | (l >> 31), right = (m >> 1) | (g << 31);

        for (int k = 0; k < 3; k++) {
            uint v = k == 0 ? left : k == 1 ? right : dy ? m : 0u, carry = one & v, c2 = two & carry;

            one ^= v;
            two ^= carry;
            four |= c2;
        }
    }
    b[y * w + x] = two & ~four & (one | self);
}
