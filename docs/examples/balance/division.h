/* division.h - which rows each device gets, from what is published of the devices */
#ifndef BALANCE_DIVISION_H
#define BALANCE_DIVISION_H

#include <gpucal.h>
#include <stddef.h>

#define NODE_BYTES        256
#define DEVICE_NAME_BYTES 512

enum division {
    DIVISION_EQUAL,  /* every device the same */
    DIVISION_PEAK,   /* by the rate of multiply-adds that its benchmark reached */
    DIVISION_GPUCAL, /* so that all end at once, as predicted */
};

/* Plain data: rank 0 sends it to the others as it stands. */
struct part {
    char
        node[NODE_BYTES]; /* of whom; "NODE:PATTERN" where the node has several devices */
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
