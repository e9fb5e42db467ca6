/* csv.h - fields of a CSV file */
#ifndef GCAL_MPI_CLI_CSV_H
#define GCAL_MPI_CLI_CSV_H

#include <stdio.h>

/* In quotes, the first line of 'text' (NULL: none); 'end' is ',' or '\n'. */
void gcal_csv_text(FILE *file, const char *text, char end);
/* Empty for NaN; a comma behind it. */
void gcal_csv_number(FILE *file, double value);

#endif
