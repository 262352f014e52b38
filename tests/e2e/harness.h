/*
 * harness.h - runs the built rfsup on a program as a user would, and looks at what it reports.
 *
 * Each run has its own folder, which is its working directory; rfsup's output goes to FOLDER/out. If an expectation
 * about the run fails, the folder stays and the replay command of its finding is printed.
 */
#ifndef RFS_TESTS_E2E_HARNESS_H
#define RFS_TESTS_E2E_HARNESS_H

#include <jansson.h>
#include <stdbool.h>

#include "tests/e2e/spawn.h"

struct e2e {
	char *folder;	     /* absolute */
	char *command;	     /* for messages */
	struct spawned said; /* of the last e2e_run() */
	json_t *report;	     /* FOLDER/out/report.json of the last e2e_run(); NULL: there is none */
	bool failed;	     /* an expectation was not met: the folder stays */
};

/* A new folder; e2e_end() removes it with all that is in it, or says what to do with it. */
void e2e_begin(struct e2e *e2e);
void e2e_end(struct e2e *e2e);
/* rfsup -o FOLDER/out ARGS..., in FOLDER. Another run takes the place of the one before. */
void e2e_run(struct e2e *e2e, const char *const *args);
/* rfsup ARGS... without an output folder: for --replay. Leaves FOLDER/out and the report as they are. */
void e2e_say(struct e2e *e2e, const char *const *args);

/* Notes a failure of the test, with the command, and continues. */
void e2e_expect(struct e2e *e2e, bool condition, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The exit status, with all output of rfsup if it differs. True if it is this one. */
bool e2e_expect_status(struct e2e *e2e, int status);
/* Nothing is found: status 0, no pair real, harmful or unclear, no deadlock, no failure. */
void e2e_expect_silent(struct e2e *e2e);

/* The program of this name, in the build that the test belongs to: absolute. Caller frees. */
char *e2e_target(const char *variant, const char *name);
/* Compiles tests/e2e/programs/NAME (with .c or .cc) with these flags into the run's folder. Caller frees the path. */
char *e2e_program(struct e2e *e2e, const char *name, const char *flags);
/* The whole of a file; NULL: it cannot be read. Caller frees. */
char *e2e_text(const char *path);

/* report[key], an array; an empty one if it is absent (borrowed). */
size_t e2e_count(const struct e2e *e2e, const char *key);
json_t *e2e_item(const struct e2e *e2e, const char *key, size_t i);
/* report["stats"][key]; -1: absent. */
double e2e_stat(const struct e2e *e2e, const char *key);
/* Absolute path of the record of a finding (an object with "record"). Caller frees; NULL: it has none. */
char *e2e_record(const struct e2e *e2e, const json_t *finding);
/*
 * The i-th record of a failure: those of pairs that failed come first, then deadlocks, then other failures; of those
 * only what the uncontrolled runs do not show. Absolute; caller frees. NULL: there is none.
 */
char *e2e_failing_record(const struct e2e *e2e, size_t i);

/* Settings of `make check-full`. */
bool e2e_full(void);

#endif
