/* number.h - strict parsing of numbers as users write them: no sign, no blanks, no trailing text, in range. */
#ifndef RFS_NUMBER_H
#define RFS_NUMBER_H

#include <stdint.h>

/* Decimal digits only. 0 and *out, or -EINVAL (not a number) or -ERANGE. */
int rfs_number_parse(const char *word, uint64_t min, uint64_t max, uint64_t *out) __attribute__((warn_unused_result));
/* Digits with at most one point ("0.5", "10", ".5"). 0 and *out, or -EINVAL or -ERANGE. */
int rfs_decimal_parse(const char *word, double min, double max, double *out) __attribute__((warn_unused_result));
/* Hexadecimal digits without prefix. 0 and *out, or -EINVAL or -ERANGE. */
int rfs_hex_parse(const char *word, uint64_t *out) __attribute__((warn_unused_result));

#endif
