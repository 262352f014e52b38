/*
 * readers.h - what reads files that somebody may have damaged or edited, as functions that take any bytes: a crash, or
 * a sanitizer's word, is the only wrong answer. Checksums are put right before, or no change would get past them.
 */
#ifndef RFS_TESTS_FUZZ_READERS_H
#define RFS_TESTS_FUZZ_READERS_H

#include <stddef.h>
#include <stdint.h>

/* Return 0, as libFuzzer wants it. */
typedef int rfs_fuzz_fn(const uint8_t *data, size_t size);

rfs_fuzz_fn rfs_fuzz_record, rfs_fuzz_pairs, rfs_fuzz_trace, rfs_fuzz_input;

#endif
