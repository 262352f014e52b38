/*
 * results.h - what calls give back: their results, and what they store where an argument points. A value is copied when
 * its call returns. A line of a test says what to copy:
 *
 *	? N				slots 0 to N-1 are the objects of the test
 *	? SECTION CALL WHAT KIND	WHAT is "rN" for byte N of the result, or the number of a parameter
 *
 * KIND is "iN" or "uN" for a signed or unsigned integer of N bytes, "f4" for a float, "f8" for a double, "s" for a
 * string, "p" for a pointer, and "b" for text in memory of the test. What a parameter points to is copied, not the
 * parameter.
 */
#ifndef RFS_DRIVER_RESULTS_H
#define RFS_DRIVER_RESULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rfs_driver_script;

/* The words of a line, without the question mark. False: the line is wrong. */
bool rfs_driver_results_add(char *const *words, size_t n);
void rfs_driver_results_clear(void);
/* How many lines of the test say what to copy. */
size_t rfs_driver_results_count(void);

/* The most bytes of a result that can be kept: rfs_driver_execute() returns it in two words. */
#define RFS_DRIVER_RETURNED 16
/* Copies what the call of the script has given back. returned: as rfs_driver_execute() has set it. */
void rfs_driver_results_take(struct rfs_driver_script *script, size_t section, size_t call, const uint64_t returned[2]);

/*
 * Writes a line for each copy, in the order of the test's lines: a number, a string in quotes, "NULL", or the name of
 * an object: "v3" (slot 3), "m2" (memory of the test), a string of the test in quotes, or "new N" for any other object.
 * "unreadable": a pointer to freed memory. False: the file cannot be written, or there are no copies.
 */
bool rfs_driver_results_write(const struct rfs_driver_script *script, const char *path);

#endif
