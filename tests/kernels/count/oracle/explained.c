/* explained.c - differences between compiled kernels and their sources, by kernel,
 * and inputs that kernels need to run in Oclgrind
 */
#include "tests/kernels/count/oracle/oracle.h"

#define COPY       "an asynchronous copy is one call"
#define COPIED     "a whole struct of four floats is copied by one memcpy"
#define COPIED_TWO "a whole struct of two floats is copied by one memcpy"
#define HOISTED    "what is the same in all iterations is not hoisted without optimisation"

const struct oracle_explained oracle_explained[] = {
    { "async_copy", NULL, "global load", 1, "5/4*n", COPY },
    { "async_copy", NULL, "global load bytes", 1, "5*n", COPY },
    { "async_copy", NULL, "local store", 1, "5/4*n", COPY },
    { "async_copy", NULL, "local store bytes", 1, "5*n", COPY },
    { "fft_stage", NULL, "add", 2, "0", "a + b and a - b are of two lanes each" },
    { "flops_madd", "width:2", "add", 1, "64*nelements", "an fadd is of two lanes" },
    { "flops_madd", "width:4", "add", 1, "193*nelements", "an fadd is of four lanes" },
    { "flops_madd", "width:8", "add", 1, "452*nelements", "an fadd is of eight lanes" },
    { "flops_madd", "width:16", "add", 1, "971*nelements", "an fadd is of 16 lanes" },
    { "flow_flux", NULL, "mul", 1, "-12*cells", HOISTED },
    { "gmem_footprint", "width:2", "add", 1, "1/2*n*passes", "an fadd is of two lanes" },
    { "gmem_footprint", "width:4", "add", 1, "3/4*n*passes", "an fadd is of four lanes" },
    { "mad24_index", NULL, "add", 2, "0", "an fadd is of two lanes" },
    { "mad24_index", NULL, "mul", 2, "0", "an fmul is of two lanes" },
    { "march_spheres", NULL, "mul", 1, "-14*w*h*steps", HOISTED },
    { "min_plus_v2v_loads", NULL, "add", 4, "0", "an fadd is of four lanes" },
    { "min_plus_v2v_memory", NULL, "add", 4, "-9*n*n",
      "an fadd is of four lanes, but for those of the lanes in each store" },
    { "min_plus_v4_loads", NULL, "add", 4, "0", "an fadd is of four lanes" },
    { "min_plus_v4_memory", NULL, "add", 4, "0", "an fadd is of four lanes" },
    { "min_plus_v4_onchip", NULL, "add", 1, "3*n*floor((n+3)/4)",
      "stored values are summed by an fadd of four lanes" },
    { "mix_registers_memory", "r:2", "add", 1, "-1344*n", HOISTED },
    { "nbody", NULL, "add", 1, "3*n*n", "tile[j] - here is one fsub of four lanes" },
    { "nbody", NULL, "local load bytes", 1, "-12*n*n",
      "all of tile[j] is loaded for tile[j].w where nothing is optimised" },
    { "own_drift", NULL, "global load bytes", 1, "-8*n",
      "all four components are loaded for .xyz where nothing is optimised" },
    { "own_drift", NULL, "global store", 1, "-2*n",
      "the three components are stored one by one" },
    { "own_heat_materials", NULL, "constant load", 1, "2*(nx-2)*(ny-2)", COPIED_TWO },
    { "own_heat_materials", NULL, "constant load bytes", 1, "8*(nx-2)*(ny-2)",
      COPIED_TWO },
    { "own_heat_materials", NULL, "memcpy p0 p2", 0, "0", COPIED_TWO },
    { "own_nbody", NULL, "add", 1, "4*n*n", "two fadds are of three lanes" },
    { "own_nbody", NULL, "mul", 1, "2*n*n", "an fmul is of three lanes" },
    { "particles_centre", NULL, "global store", 1, "4*32", COPIED },
    { "particles_centre", NULL, "global store bytes", 1, "16*32", COPIED },
    { "particles_centre", NULL, "memcpy p1 p0", 0, "0", COPIED },
    { "particles_drift", NULL, "global load", 1, "4*n", COPIED },
    { "particles_drift", NULL, "global load bytes", 1, "16*n", COPIED },
    { "particles_drift", NULL, "memcpy p0 p1", 0, "0", COPIED },
    { "transpose_tiled_memory", "lsize_1:2", "add", 1, "-21/4*n*n", HOISTED },
    { .generator = NULL },
};

const struct oracle_input oracle_inputs[] = {
    { "bfs", "front", "1" }, /* then no work-item is left out */
    { "bfs", "nodes", "3*(i-2*floor(i/2))" },
    { "bfs", "degree", "3" },
    { "mandelbrot", "x0", "0" }, /* the points that never leave */
    { "mandelbrot", "y0", "0" },
    { "mandelbrot", "scale", "0" },
    { "mandelbrot", "escape", "max_iter" },
    { "spmv_csr", "row_start", "3*i" },
    { "spmv_csr", "per_row", "3" },
    { .generator = NULL },
};

const struct oracle_refused oracle_refused[] = {
    { .generator = NULL },
};

const struct oracle_fault oracle_faults[] = {
    { .generator = NULL },
};
