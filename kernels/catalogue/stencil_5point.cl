/* res[i,j] = u[i,j+1] + u[i+1,j] - 4 u[i+1,j+1] + u[i+1,j+2] + u[i+2,j+1] on an n x n grid
 * with one row and column more of u on every side.  Work-items fetch an element each, and
 * those of the inner WIDTH - 2 rows and columns have a result (Stevens and Kloeckner 2020,
 * section 8.5).  Without GROUPS_FIT n is any width.
 */
#define True 1 /* the values of GROUPS_FIT; False counts as 0 */
#define INNER (WIDTH - 2)
/* Each width is an access pattern of its own. */
#if WIDTH == 10
#define U(at) GPUCAL_TAG(fdU10, u[at])
#define RES(at) GPUCAL_TAG(fdR10, res[at])
#elif WIDTH == 16
#define U(at) GPUCAL_TAG(fdU16, u[at])
#define RES(at) GPUCAL_TAG(fdR16, res[at])
#else
#define U(at) GPUCAL_TAG(fdU18, u[at])
#define RES(at) GPUCAL_TAG(fdR18, res[at])
#endif

__kernel void stencil_5point(__global T *res, __global const T *u, int n)
{
    __local T tile[WIDTH * WIDTH];
    int l0 = get_local_id(0);
    int l1 = get_local_id(1);
    int i = INNER * get_group_id(1) + l1;
    int j = INNER * get_group_id(0) + l0;

#if !GROUPS_FIT
    if (i < n + 2 && j < n + 2)
#endif
        tile[WIDTH * l1 + l0] = U((n + 2) * i + j);
    barrier(CLK_LOCAL_MEM_FENCE);
#if GROUPS_FIT
    if (l0 < INNER && l1 < INNER)
#else
    if (l0 < INNER && l1 < INNER && i < n && j < n)
#endif
        RES(n * i + j) =
            tile[WIDTH * l1 + l0 + 1] + tile[WIDTH * (l1 + 1) + l0] -
            (T)4 * tile[WIDTH * (l1 + 1) + l0 + 1] + tile[WIDTH * (l1 + 1) + l0 + 2] +
            tile[WIDTH * (l1 + 2) + l0 + 1];
}
