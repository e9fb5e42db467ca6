/* Tiles of global memory by way of local memory, as products on matrix units have them: copied through
 * registers or asynchronously, and loaded as words or by ldmatrix, both in inline assembly of NVIDIA's PTX.
 *
 * A work-item copies 16 bytes of a tile, 512 for each sub-group, and loads READS times four words of what
 * other sub-groups copied: where ldmatrix has them, so that both ways give the same sum.
 */
#define IS_registers 1
#define IS_async     2
#define IS_words     3
#define IS_matrix    4
#define PASTE(a, b)  a##b
#define IS(way)      PASTE(IS_, way)
#define GROUPS       (LSIZE_0 / 32)

__kernel void tiles(__global const uint4 *a, __global uint *result, int m)
{
    __local uint4 tile[2 * LSIZE_0];
    int l = get_local_id(0), lane = l % 32, group = l / 32;
    uint sum = 0;

    for (int it = 0; it < m; it++) {
        int first = it % 2 * LSIZE_0;
        __global const uint4 *from = a + it % 8 * get_global_size(0) + get_global_id(0);
        __local uint4 *to = tile + first + l;

#if IS(COPY) == IS_async
        __asm__ volatile(
            "cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((uint)(size_t)to),
            "l"(from));
        __asm__ volatile("cp.async.commit_group;");
        __asm__ volatile("cp.async.wait_group 0;");
#else
        *to = *from;
#endif
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int r = 0; r < READS; r++) {
            __local const uint4 *rows = tile + first + (group + r) % GROUPS * 32;

#if IS(LOAD) == IS_matrix
            uint w0, w1, w2, w3;

            __asm__ volatile(
                "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                : "=r"(w0), "=r"(w1), "=r"(w2), "=r"(w3)
                : "r"((uint)(size_t)(rows + lane)));
            sum += w0 + w1 + w2 + w3;
#else
            __local const uint *words = (__local const uint *)rows;

            sum += words[lane] + words[lane + 32] + words[lane + 64] + words[lane + 96];
#endif
        }
    }
    result[get_global_id(0)] = sum;
}
