/* C = A B, column-major, both operands through local memory, WPTM x WPTN results a
 * work-item in registers.
 */
#define TSM 16                              /* tile of C */
#define TSN 16
#define TSK 8                               /* depth of a step */
#define WPTM 4                              /* results a work-item */
#define WPTN 4
#define RTSM (TSM / WPTM)                   /* work-items of a group */
#define RTSN (TSN / WPTN)
#define LPTA ((TSK * TSM) / (RTSM * RTSN))  /* loads a work-item and step */
#define LPTB ((TSK * TSN) / (RTSM * RTSN))

__kernel void gemm_regblock(const int M, const int N, const int K,
                            const __global float *A, const __global float *B,
                            __global float *C)
{
    const int tidm = get_local_id(0);
    const int tidn = get_local_id(1);
    const int tid = tidn * RTSM + tidm;
    const int offsetM = TSM * get_group_id(0);
    const int offsetN = TSN * get_group_id(1);

    __local float Asub[TSK][TSM];
    __local float Bsub[TSN][TSK + 2];
    float Areg;
    float Breg[WPTN];
    float acc[WPTM][WPTN];

    for (int wm = 0; wm < WPTM; wm++)
        for (int wn = 0; wn < WPTN; wn++)
            acc[wm][wn] = 0.0f;

    int numTiles = K / TSK;
    int t = 0;
    do {
        for (int la = 0; la < LPTA; la++) {
            int id = la * RTSN * RTSM + tid;
            int row = id % TSM;
            int col = id / TSM;
            Asub[col][row] = A[(TSK * t + col) * M + offsetM + row];
        }
        for (int lb = 0; lb < LPTB; lb++) {
            int id = lb * RTSN * RTSM + tid;
            int row = id % TSK;
            int col = id / TSK;
            Bsub[col][row] = B[(offsetN + col) * K + TSK * t + row];
        }
        barrier(CLK_LOCAL_MEM_FENCE);

        for (int k = 0; k < TSK; k++) {
            for (int wn = 0; wn < WPTN; wn++)
                Breg[wn] = Bsub[tidn + wn * RTSN][k];
            for (int wm = 0; wm < WPTM; wm++) {
                Areg = Asub[k][tidm + wm * RTSM];
                for (int wn = 0; wn < WPTN; wn++)
                    acc[wm][wn] += Areg * Breg[wn];
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        t++;
    } while (t < numTiles);

    for (int wm = 0; wm < WPTM; wm++) {
        int globalRow = offsetM + tidm + wm * RTSM;
        for (int wn = 0; wn < WPTN; wn++) {
            int globalCol = offsetN + tidn + wn * RTSN;
            C[globalCol * M + globalRow] = acc[wm][wn];
        }
    }
}
