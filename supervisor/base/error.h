/*
 * error.h - messages for the user on standard error, and functions that end the program.
 *
 * Everything that rfsup prints on standard error goes through these functions. They erase the status line before they
 * print, so that the two do not mix.
 */
#ifndef RFS_ERROR_H
#define RFS_ERROR_H

#include <stdbool.h>
#include <stddef.h>

/* The exit statuses; rfsup(1) explains them. */
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

/*
 * The next three functions print one line: "rfsup: ", the text, a newline. rfs_error() prints even with --quiet. It is
 * for the reason of exit status 2, 3 or 4, if no report contains that reason.
 */
void rfs_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
void rfs_warn(const char *format, ...) __attribute__((format(printf, 1, 2))); /* not with --quiet */
void rfs_note(const char *format, ...) __attribute__((format(printf, 1, 2))); /* only with --verbose */
/* Prints a line without "rfsup: ": a result that the user sees as soon as it is known. Not with --quiet. */
void rfs_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * Shows `line` as the status line. The next status line overwrites it, and NULL removes it. The text is cut to the
 * width of the terminal. The caller must check that standard error is a terminal.
 */
void rfs_log_status(const char *line);

/* For errors in the user's input or the environment: prints one line and ends the program with status 2. */
void die(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

/*
 * For a broken invariant of rfsup. Prints the place and the message, calls the function of rfs_bug_set_dump(), and
 * aborts. It is compiled into every build.
 */
#define RFS_BUG(...) rfs_bug(__FILE__, __LINE__, __func__, __VA_ARGS__)
void rfs_bug(const char *file, int line, const char *function, const char *format, ...)
	__attribute__((format(printf, 4, 5), noreturn));
/*
 * Sets what rfs_bug() calls: dump(arg) must print the state of every thread to standard error. NULL: nothing is
 * called.
 */
void rfs_bug_set_dump(void (*dump)(void *arg), void *arg);

/*
 * Writes a line for the user into `why` (n bytes) and returns `error`. So a function can report an error with one
 * statement: return rfs_why(...).
 */
int rfs_why(char *why, size_t n, int error, const char *format, ...) __attribute__((format(printf, 4, 5)));

#endif
