/* json_put.h - builds JSON values of bytes that need not be UTF-8. If memory is exhausted, rfsup ends with a message.
 */
#ifndef RFS_JSON_PUT_H
#define RFS_JSON_PUT_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A string. File names are bytes, but JSON is Unicode: bytes that are not UTF-8 become U+FFFD. */
json_t *rfs_json_text(const char *s);
json_t *rfs_json_strings(char *const *list, size_t n);
/* Add a value, which is taken over; it may be NULL if jansson had no memory for it. */
void rfs_json_put(json_t *object, const char *key, json_t *value);
void rfs_json_append(json_t *array, json_t *value);
/* NULL: adds nothing. */
void rfs_json_put_text(json_t *object, const char *key, const char *s);
void rfs_json_put_number(json_t *object, const char *key, uint64_t value);
/* Writes the value, indented, and gives it back to jansson. */
void rfs_json_print(json_t *value, FILE *out);

#endif
