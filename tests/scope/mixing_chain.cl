/* A digest of a message for each work-item: words lie next to those of other messages. */
__kernel void mixing_chain(__global const uint *word, __global uint *digest, int messages, int words)
{
    int i = get_global_id(0);

    if (i < messages) {
        uint h = 0x9747b28cu;

        for (int w = 0; w < words; w++) {
            uint k = word[w * messages + i] * 0xcc9e2d51u;

            k = rotate(k, 15u) * 0x1b873593u;
            h = rotate(h ^ k, 13u) * 5u + 0xe6546b64u;
        }
        h ^= h >> 16;
        h *= 0x85ebca6bu;
        h ^= h >> 13;
        digest[i] = h;
    }
}
