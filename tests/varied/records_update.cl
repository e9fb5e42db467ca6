struct record {
    float mass, charge;
    float at[3];
    float speed[3];
    float force[3];
    int kind;
};

__kernel void records_update(__global struct record *r, int n)
{
    int i = get_global_id(0);

    if (i < n) {
        __global struct record *p = r + i;

        p->at[0] += 0.01f * (p->speed[0] + p->force[0] / (1.0f + fabs(p->mass)));
    }
}
