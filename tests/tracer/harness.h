/*
 * harness.h - runs small programs under the tracer, for the tests of this folder.
 *
 * Programs are in programs/ and are compiled when a test needs them, once per build folder. Assertions are Criterion's.
 */
#ifndef RFS_TESTS_TRACER_HARNESS_H
#define RFS_TESTS_TRACER_HARNESS_H

#include <criterion/criterion.h>
#include <stdbool.h>
#include <stddef.h>

#include "tracer/breakpoint.h"
#include "tracer/memory.h"
#include "tracer/module.h"
#include "tracer/tracer.h"
#include "tracer/unwind.h"

#define STOP_KINDS (RFS_STOP_KILLED + 1)

/* One run of a program. */
struct run {
	struct rfs_tracer *tracer;
	struct rfs_tracer_info info;
	char output[65536]; /* what it wrote to standard output and error, filled by run_end() */
	int out;
	int stops[STOP_KINDS];
	bool ended;		 /* the leader's end was seen */
	int status;		 /* exit status, or 128 + signal */
	struct rfs_space *space; /* of the program */
	void *data;		 /* the test's own */
};

/* What a test does at a stop. True: it has resumed or forgotten the task; false: the usual is done (signals delivered).
 */
typedef bool on_stop(struct run *run, const struct rfs_stop *stop);

/* Absolute path of programs/NAME.c (or .cc) compiled with flags; variant makes the name of the result different. Good
 * for the next seven calls. */
const char *program(const char *name, const char *variant, const char *flags);
/* Launches argv[0]; options may be NULL: its argv, envp, descriptors and path are set here if they are NULL or 0. */
void run_start(struct run *run, const struct rfs_launch *options, const char *const *argv);
/* Waits and resumes until no task is left. */
void run_all(struct run *run, on_stop *f);
/* Waits for the next stop, asserts that there is one, and counts it. */
struct rfs_stop run_next(struct run *run);
/* The same; false if no task is left. */
bool run_wait(struct run *run, struct rfs_stop *stop);
/* The usual way on. */
void run_resume(struct run *run, const struct rfs_stop *stop);
/* Until a stop of this kind: it is returned and not resumed. */
struct rfs_stop run_until(struct run *run, enum rfs_stop_kind kind);
/* Frees the tracer and reads the output. */
void run_end(struct run *run);
/* All in one, for programs that need no attention: the exit status. */
int run_program(struct run *run, const char *const *argv, on_stop *f);

/* At RFS_STOP_EXEC and at the interpreter's notifications: keeps the modules up to date. True: it was a notification,
 * resumed. */
bool run_modules(struct run *run, const struct rfs_stop *stop);
/* The run-time address of a symbol of the program (NULL) or of the module whose path holds this; 0: not there. */
rfs_addr run_symbol(struct run *run, const char *module, const char *symbol);
/* Sets a breakpoint, asserts that it could be. */
struct rfs_breakpoint *run_break(const struct rfs_stop *stop, rfs_addr address);

#endif
