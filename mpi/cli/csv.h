/* csv.h - fields of CSV files */
#ifndef GCAL_MPI_CLI_CSV_H
#define GCAL_MPI_CLI_CSV_H

#include <stdio.h>

/* The first line of 'text' in quotes (NULL: empty), then 'end', ',' or '\n'. */
void gcal_csv_text(FILE *file, const char *text, char end);
/* The number (NaN: empty), then a comma. */
void gcal_csv_number(FILE *file, double value);

#endif
