/*
 * record_value.h - values of structures that are passed by value, or by pointer: small numbers in the members, and null
 * pointers. A value is identified by a number. Number 0 is the structure of zeros.
 */
#ifndef RFS_RECORD_VALUE_H
#define RFS_RECORD_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct rfs_c_type;

/* How many different values there are. */
#define RFS_RECORD_VALUES 4

/*
 * Whether the type is a structure of C with a name, and all its members are numbers, or arrays and structures of
 * numbers: an item, a point, a time. Then its values mean something without an initialiser.
 */
bool rfs_record_value_is_plain(const struct rfs_c_type *type);

/* Writes the bytes of the value. n: the size of the type. */
void rfs_record_value_bytes(const struct rfs_c_type *type, int64_t number, unsigned char *bytes, size_t n);

/* Writes the value in C: "(struct point){1, 2}". */
void rfs_record_value_write(const struct rfs_c_type *type, int64_t number, FILE *out);

#endif
