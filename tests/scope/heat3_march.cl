#define TX 32
#define TY 8

/* A column of cells for each work-item: the plane in local memory with a frame, the
 * neighbours above and below in registers.  The frame of the block is not computed. */
__kernel void heat3_march(__global const float *restrict old, __global float *restrict new, int nx,
                          int ny, int nz)
{
    __local float plane[TY + 2][TX + 2];
    int lx = get_local_id(0) + 1;
    int ly = get_local_id(1) + 1;
    int x = get_global_id(0) + 1;
    int y = get_global_id(1) + 1;
    int step = nx * ny;
    int at = y * nx + x;
    float below = old[at];
    float here = old[at + step];

    for (int z = 1; z < nz - 1; z++) {
        float above = old[at + (z + 1) * step];

        plane[ly][lx] = here;
        if (lx == 1)
            plane[ly][0] = old[at + z * step - 1];
        if (lx == TX)
            plane[ly][TX + 1] = old[at + z * step + 1];
        if (ly == 1)
            plane[0][lx] = old[at + z * step - nx];
        if (ly == TY)
            plane[TY + 1][lx] = old[at + z * step + nx];
        barrier(CLK_LOCAL_MEM_FENCE);
        new[at + z * step] = 0.4f * here + 0.1f * (plane[ly][lx - 1] + plane[ly][lx + 1] +
                                                   plane[ly - 1][lx] + plane[ly + 1][lx] + below + above);
        barrier(CLK_LOCAL_MEM_FENCE);
        below = here;
        here = above;
    }
}
