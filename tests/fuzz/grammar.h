/* grammar.h - kernels that OpenCL's grammar makes of bytes, for fuzzers */
#ifndef GCAL_TESTS_FUZZ_GRAMMAR_H
#define GCAL_TESTS_FUZZ_GRAMMAR_H

#include <stddef.h>
#include <stdint.h>

/* A source with the first line that fuzz_count.c reads, the caller's to free. */
char *grammar_make(const uint8_t *data, size_t size);

#endif
