typedef struct {
    float x, y, z, mass, vx, vy, vz;
} body;

/* Records of seven floats, of which each work-item uses six. */
__kernel void stream_records(__global body *all, int n, float dt)
{
    int i = get_global_id(0);

    if (i < n) {
        all[i].x += dt * all[i].vx;
        all[i].y += dt * all[i].vy;
        all[i].z += dt * all[i].vz;
    }
}
