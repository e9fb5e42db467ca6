/* other_version.c - a front end's module of another version of gpucal */
#include "kernels/frontend/frontend.h"

const struct gcal_frontend gcal_frontend = { .version = "0.0.1" };
