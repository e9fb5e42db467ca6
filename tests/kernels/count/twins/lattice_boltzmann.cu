/* kernel: collide_stream
 *
 * What macros do in the other language is done by lambdas that capture by reference.
 */
__global__ void collide_stream(const float *f0, const float *fE, const float *fN,
                               const float *fW, const float *fS, const float *fNE,
                               const float *fNW, const float *fSW, const float *fSE,
                               float *g0, float *gE, float *gN, float *gW, float *gS,
                               float *gNE, float *gNW, float *gSW, float *gSE,
                               const float omega, const int nx, const int ny,
                               const int pitch)
{
    const int x = 1 + blockIdx.x * blockDim.x + threadIdx.x;
    const int y = 1 + blockIdx.y * blockDim.y + threadIdx.y;
    auto cell = [&](int x, int y) { return y * pitch + x; };

    if (x > nx || y > ny)
        return;

    const float r0 = f0[cell(x, y)];
    const float rE = fE[cell(x - 1, y)], rW = fW[cell(x + 1, y)];
    const float rN = fN[cell(x, y - 1)], rS = fS[cell(x, y + 1)];
    const float rNE = fNE[cell(x - 1, y - 1)], rSW = fSW[cell(x + 1, y + 1)];
    const float rNW = fNW[cell(x + 1, y - 1)], rSE = fSE[cell(x - 1, y + 1)];
    const float rho = r0 + rE + rN + rW + rS + rNE + rNW + rSW + rSE;
    const float ux = (rE + rNE + rSE - rW - rNW - rSW) / rho;
    const float uy = (rN + rNE + rNW - rS - rSW - rSE) / rho;
    constexpr float wa = 1.0f / 9.0f, wd = 1.0f / 36.0f;
    const int here = cell(x, y);
    auto relax = [&](float f, float w, int ex, int ey) {
        return f - omega * (f - w * rho *
                                    (1.0f + 3.0f * (ex * ux + ey * uy) +
                                     4.5f * (ex * ux + ey * uy) * (ex * ux + ey * uy) -
                                     1.5f * (ux * ux + uy * uy)));
    };

    g0[here] = relax(r0, 4.0f / 9.0f, 0, 0);
    gE[here] = relax(rE, wa, 1, 0);
    gN[here] = relax(rN, wa, 0, 1);
    gW[here] = relax(rW, wa, -1, 0);
    gS[here] = relax(rS, wa, 0, -1);
    gNE[here] = relax(rNE, wd, 1, 1);
    gNW[here] = relax(rNW, wd, -1, 1);
    gSW[here] = relax(rSW, wd, -1, -1);
    gSE[here] = relax(rSE, wd, 1, -1);
}
