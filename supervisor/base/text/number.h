/*
 * number.h - strict parsing of numbers on the command line and in files: no sign, no blanks, nothing after the number.
 */
#ifndef RFS_NUMBER_H
#define RFS_NUMBER_H

#include <stdint.h>

/* Parses decimal digits. Returns 0 and *out, -EINVAL (not a number) or -ERANGE (outside min to max). */
int rfs_number_parse(const char *word, uint64_t min, uint64_t max, uint64_t *out) __attribute__((warn_unused_result));
/* Parses decimal digits and one of the letters K, M, G and T, which multiply by powers of 1024. The letter may be left
 * out. Returns 0 and *out, -EINVAL or -ERANGE (outside min to max). */
int rfs_size_parse(const char *word, uint64_t min, uint64_t max, uint64_t *out) __attribute__((warn_unused_result));
/* Parses digits with at most one point ("0.5", "10", ".5"). Returns 0 and *out, -EINVAL or -ERANGE. */
int rfs_decimal_parse(const char *word, double min, double max, double *out) __attribute__((warn_unused_result));
/* Parses a decimal fraction and one of the letters s, m, h and d (seconds, minutes, hours, days), which may be left
 * out. *out is in seconds, as are min and max. Returns 0 and *out, -EINVAL or -ERANGE. */
int rfs_seconds_parse(const char *word, double min, double max, double *out) __attribute__((warn_unused_result));
/* Parses hexadecimal digits without a prefix. Returns 0 and *out, -EINVAL or -ERANGE. */
int rfs_hex_parse(const char *word, uint64_t *out) __attribute__((warn_unused_result));

#endif
