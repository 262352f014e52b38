/*
 * error.h - messages for the user on standard error, and how the program ends if it cannot continue.
 *
 * Everything on standard error goes through here, so that a message never appears in the middle of the progress line.
 */
#ifndef RFS_ERROR_H
#define RFS_ERROR_H

#include <stdbool.h>
#include <stddef.h>

/* The exit statuses of rfsup(1). */
enum rfs_exit {
	RFS_EXIT_CLEAN = 0,
	RFS_EXIT_FINDING = 1,
	RFS_EXIT_INPUT = 2,
	RFS_EXIT_UNCONTROLLED = 3,
	RFS_EXIT_INCOMPLETE = 4,
};

enum rfs_log_level { RFS_LOG_QUIET, RFS_LOG_NORMAL, RFS_LOG_VERBOSE };

void rfs_log_set_level(enum rfs_log_level level);
enum rfs_log_level rfs_log_level(void);

/* Each prints one line: "rfsup: ", the text, a newline. */
/* Says why the exit status is 2, 3 or 4, if no report says so. Printed even with --quiet: otherwise nothing would say
 * it. */
void rfs_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
void rfs_warn(const char *format, ...) __attribute__((format(printf, 1, 2))); /* not with --quiet */
void rfs_note(const char *format, ...) __attribute__((format(printf, 1, 2))); /* only with --verbose */
/* The same without "rfsup: ", for results that are printed as soon as they are known; not with --quiet. */
void rfs_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Shows line as the status line, which the next one overwrites; NULL removes it. The line is cut to the width of the
 * terminal. The caller has checked that standard error is a terminal. */
void rfs_log_status(const char *line);

/* For errors in the user's input or environment: prints one line and ends the program with status 2. */
void die(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

/* For a broken invariant of rfsup: prints the place and the dump that was set, then aborts. Always compiled in. */
#define RFS_BUG(...) rfs_bug(__FILE__, __LINE__, __func__, __VA_ARGS__)
void rfs_bug(const char *file, int line, const char *function, const char *format, ...)
	__attribute__((format(printf, 4, 5), noreturn));
/* dump(arg) prints the state of every thread to standard error; NULL: no dump. */
void rfs_bug_set_dump(void (*dump)(void *arg), void *arg);

/* Writes a line for the user into why (n bytes) and returns error. A failing function can so end with one call. */
int rfs_why(char *why, size_t n, int error, const char *format, ...) __attribute__((format(printf, 4, 5)));

#endif
