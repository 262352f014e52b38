/* date.h - dates on the command line, in Universal Time. */
#ifndef RFS_DATE_H
#define RFS_DATE_H

#include <stdint.h>

#define RFS_DATE_SIZE sizeof("2026-11-29T10:15:00")

/*
 * Parses "2026-11-29" or "2026-11-29T10:15:00". Returns 0 and *seconds since 1970-01-01, or -EINVAL: no such date, or
 * not between 1971 and 2199.
 */
int rfs_date_parse(const char *word, uint64_t *seconds) __attribute__((warn_unused_result));
/* Writes the date of a time that rfs_date_parse() can return, with the time of day. */
void rfs_date_text(uint64_t seconds, char out[RFS_DATE_SIZE]);

#endif
