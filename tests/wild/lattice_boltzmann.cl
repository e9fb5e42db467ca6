/* Lattice Boltzmann, D2Q9: nine densities of a cell are pulled from its neighbours in
 * nine arrays, relaxed towards equilibrium, and stored in nine others.  A margin of one
 * cell surrounds the grid.
 */
#define CELL(x, y) ((y) * pitch + (x))
#define RELAX(f, w, ex, ey)                                                              \
    (f) - omega * ((f) - (w) * rho * (1.0f + 3.0f * ((ex) * ux + (ey) * uy) +            \
                                      4.5f * ((ex) * ux + (ey) * uy) *                   \
                                          ((ex) * ux + (ey) * uy) -                      \
                                      1.5f * (ux * ux + uy * uy)))

__kernel void collide_stream(
    __global const float *f0, __global const float *fE, __global const float *fN,
    __global const float *fW, __global const float *fS, __global const float *fNE,
    __global const float *fNW, __global const float *fSW, __global const float *fSE,
    __global float *g0, __global float *gE, __global float *gN, __global float *gW,
    __global float *gS, __global float *gNE, __global float *gNW, __global float *gSW,
    __global float *gSE, const float omega, const int nx, const int ny, const int pitch)
{
    const int x = 1 + get_global_id(0);
    const int y = 1 + get_global_id(1);

    if (x > nx || y > ny)
        return;

    const float r0 = f0[CELL(x, y)];
    const float rE = fE[CELL(x - 1, y)], rW = fW[CELL(x + 1, y)];
    const float rN = fN[CELL(x, y - 1)], rS = fS[CELL(x, y + 1)];
    const float rNE = fNE[CELL(x - 1, y - 1)], rSW = fSW[CELL(x + 1, y + 1)];
    const float rNW = fNW[CELL(x + 1, y - 1)], rSE = fSE[CELL(x - 1, y + 1)];

    const float rho = r0 + rE + rN + rW + rS + rNE + rNW + rSW + rSE;
    const float ux = (rE + rNE + rSE - rW - rNW - rSW) / rho;
    const float uy = (rN + rNE + rNW - rS - rSW - rSE) / rho;
    const float wa = 1.0f / 9.0f, wd = 1.0f / 36.0f;
    const int here = CELL(x, y);

    g0[here] = RELAX(r0, 4.0f / 9.0f, 0, 0);
    gE[here] = RELAX(rE, wa, 1, 0);
    gN[here] = RELAX(rN, wa, 0, 1);
    gW[here] = RELAX(rW, wa, -1, 0);
    gS[here] = RELAX(rS, wa, 0, -1);
    gNE[here] = RELAX(rNE, wd, 1, 1);
    gNW[here] = RELAX(rNW, wd, -1, 1);
    gSW[here] = RELAX(rSW, wd, -1, -1);
    gSE[here] = RELAX(rSE, wd, 1, -1);
}
