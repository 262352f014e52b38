/*
 * harness.h - runs the built rfsup on a program, as a user would, and checks its report.
 *
 * Each run has a separate folder, which is its working directory. The output of rfsup goes to FOLDER/out. If an
 * expectation is not met, the folder stays, and the replay command of the finding is printed.
 */
#ifndef RFS_TESTS_E2E_HARNESS_H
#define RFS_TESTS_E2E_HARNESS_H

#include <jansson.h>
#include <stdbool.h>

#include "tests/e2e/spawn.h"

struct e2e {
	char *folder;	     /* absolute path */
	char *command;	     /* the last command, for messages */
	struct spawned said; /* output of the last e2e_run() or e2e_say() */
	json_t *report;	     /* FOLDER/out/report.json of the last e2e_run(), or NULL */
	bool failed;	     /* an expectation was not met, so the folder stays */
};

/* Makes a new folder. e2e_end() removes it with its contents, or says how to repeat a failed test. */
void e2e_begin(struct e2e *e2e);
void e2e_end(struct e2e *e2e);
/* Runs rfsup -o FOLDER/out ARGS... in FOLDER. The output of a previous run is removed. */
void e2e_run(struct e2e *e2e, const char *const *args);
/* Runs rfsup ARGS... without an output folder, for --replay. FOLDER/out and the report stay as they are. */
void e2e_say(struct e2e *e2e, const char *const *args);

/* If the condition is false, notes a failure of the test, with the command. The test continues. */
void e2e_expect(struct e2e *e2e, bool condition, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Runs a shell command in the folder; its status must be 0. Its standard output is not shown. */
void e2e_expect_command(struct e2e *e2e, const char *words);
/* Whether the exit status is this one. If not, notes a failure with all output of rfsup. */
bool e2e_expect_status(struct e2e *e2e, int status);
/* Expects status 0 and no finding: no pair that is real, harmful or unclear, no deadlock, no failure. */
void e2e_expect_silent(struct e2e *e2e);

/* Absolute path of a target in the build of this test. Caller frees. */
char *e2e_target(const char *variant, const char *name);
/* Compiles tests/e2e/programs/NAME (with its .c or .cc) with these flags into the folder. Caller frees the path. */
char *e2e_program(struct e2e *e2e, const char *name, const char *flags);
/* The same for a program in a folder relative to that, which ends with a slash. */
char *e2e_program_at(struct e2e *e2e, const char *subfolder, const char *name, const char *flags);
/* Compiles it as a library, libNAME.so in the folder. Caller frees the path. */
char *e2e_library(struct e2e *e2e, const char *name, const char *flags);
/* The contents of a file, or NULL if it cannot be read. Caller frees. */
char *e2e_text(const char *path);

/* Length and items of the array report[key]. If the key is absent, the length is 0. Borrowed. */
size_t e2e_count(const struct e2e *e2e, const char *key);
json_t *e2e_item(const struct e2e *e2e, const char *key, size_t i);
/* The number report["stats"][key], or -1 if it is absent. */
double e2e_stat(const struct e2e *e2e, const char *key);
/*
 * From now on, programs/confined.c starts rfsup. flag: "-DREFUSED=SYS_name" for a system call that is refused, "" for a
 * full disk.
 */
void e2e_confine(struct e2e *e2e, const char *flag);
/* Absolute path of the record of a finding, or NULL if the finding has none. Caller frees. */
char *e2e_record(const struct e2e *e2e, const json_t *finding);
/* Replays a record: the run must be the recorded one, and the status 1. */
void e2e_expect_same_replay(struct e2e *e2e, const char *record);
/* The record that rfsup --simplify has made of this one. Caller frees. */
char *e2e_simple_record(const char *record);
/* Replays the record of a finding: it must exist, and the replay must end with status 1. */
void e2e_expect_replay(struct e2e *e2e, const json_t *finding);
/*
 * The i-th record of a failure, or NULL. Failures of pairs come first, then deadlocks, then other failures. Failures
 * that all baseline runs show are left out. Absolute path; caller frees.
 */
char *e2e_failing_record(const struct e2e *e2e, size_t i);
/* Expects that the first of them is there, and replays it. Returns it, or NULL; caller frees. */
char *e2e_expect_failing_replay(struct e2e *e2e);

/* A pairs file that is refused, and a part of the message. */
struct e2e_refused {
	const char *text, *says;
};
/* Expects status 2 and the message for each of these pairs files. */
void e2e_expect_refused(struct e2e *e2e, const char *program, const struct e2e_refused *cases, size_t n);
/*
 * Runs a campaign, whose pairs.txt must have a line that begins with `word`, and then a campaign of that file alone,
 * which must end with status 1.
 */
void e2e_run_own_pairs(struct e2e *e2e, const char *program, const char *word);

/* Whether this is `make check-full`. */
bool e2e_full(void);
/* How many rows of a table, or runs, this check does: `few` in the short check, `all` in a full one. */
size_t e2e_rows(size_t few, size_t all);

#endif
