/* division.h - rows of each device, from the published parameters of the devices */
#ifndef BALANCE_DIVISION_H
#define BALANCE_DIVISION_H

#include <gpucal.h>
#include <stddef.h>

#define NODE_BYTES        256
#define DEVICE_NAME_BYTES 512

enum division {
    DIVISION_EQUAL,     /* the same number of rows for each device */
    DIVISION_PEAK,      /* by the measured peak rates of multiply-adds */
    DIVISION_ONE,       /* all to the device that is predicted to end first with them */
    DIVISION_GPUCAL,    /* for the shortest expected time until the last ends */
    DIVISION_CORRECTED, /* likewise, and by what the last rows took */
};

/* Plain data: rank 0 sends it as bytes. */
struct part {
    char node[NODE_BYTES]; /* "NODE:PATTERN" if the node has several devices */
    char device_name[DEVICE_NAME_BYTES];
    size_t first_row, rows;
    double predicted_s;
    double busy_s; /* what these rows took; 0: unknown */
};

struct division_options {
    enum division division;
    const char *store_path, *profile_path;
    size_t rows, width, granularity; /* 'rows' is a multiple of 'granularity' */
};

/* Fills 'parts', whose nodes are given, and of DIVISION_CORRECTED the rows and times of the division
 * before, if there was one.  0, or -1 with 'err' filled. */
int divide(const struct division_options *options, struct part *parts, size_t count,
           struct gpucal_error *err);

#endif
