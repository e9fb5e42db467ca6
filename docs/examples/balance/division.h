/* division.h - rows of each device, from the published parameters of the devices */
#ifndef BALANCE_DIVISION_H
#define BALANCE_DIVISION_H

#include <gpucal.h>
#include <stddef.h>

#define NODE_BYTES        256
#define DEVICE_NAME_BYTES 512

enum division {
    DIVISION_EQUAL,  /* the same number of rows for each device */
    DIVISION_PEAK,   /* by the measured peak rates of multiply-adds */
    DIVISION_GPUCAL, /* so that all are predicted to end at the same time */
};

/* Plain data: rank 0 sends it as bytes. */
struct part {
    char node[NODE_BYTES]; /* "NODE:PATTERN" if the node has several devices */
    char device_name[DEVICE_NAME_BYTES];
    size_t first_row, rows;
    double predicted_s;
};

struct division_options {
    enum division division;
    const char *store_path, *profile_path;
    size_t rows, width, granularity; /* 'rows' is a multiple of 'granularity' */
};

/* Fills 'parts', whose nodes are given.  0, or -1 with 'err' filled. */
int divide(const struct division_options *options, struct part *parts, size_t count,
           struct gpucal_error *err);

#endif
