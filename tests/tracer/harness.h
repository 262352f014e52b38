/*
 * harness.h - runs small programs under the tracer, for the tests of this folder.
 *
 * The programs are in programs/. Each is compiled when a test needs it, once for each build folder. A failed step fails
 * the Criterion test.
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
	char output[65536]; /* standard output and error of the program; filled by run_end() */
	int out;
	int stops[STOP_KINDS];
	bool ended;		 /* the first process has ended */
	int status;		 /* of the first process: exit status, or 128 + signal */
	struct rfs_space *space; /* the address space of the first process */
	void *data;		 /* free for use by the test */
};

/*
 * Called at each stop of run_all(). Returns true if it resumed or forgot the task. If false, run_all() calls
 * run_resume().
 */
typedef bool on_stop(struct run *run, const struct rfs_stop *stop);

/*
 * Compiles programs/NAME.c (or .cc) with the given flags if necessary. Returns the absolute path of the result, which
 * is valid for the next seven calls. Other flags need another variant, which becomes part of the file name.
 */
const char *program(const char *name, const char *variant, const char *flags);
/*
 * Launches argv[0]. options may be NULL. Members path, envp, descriptors and call lists that are 0 get defaults; argv
 * is always replaced.
 */
void run_start(struct run *run, const struct rfs_launch *options, const char *const *argv);
/* Waits for stops until no task is left. Calls f at each stop, if f is not NULL. */
void run_all(struct run *run, on_stop *f);
/* Waits for the next stop and counts it. No task left is a failure. */
struct rfs_stop run_next(struct run *run);
/* Like run_next(), but returns false if no task is left. */
bool run_wait(struct run *run, struct rfs_stop *stop);
/* Resumes the task in the usual way: delivers signals, listens at group stops, forgets tasks that have ended. */
void run_resume(struct run *run, const struct rfs_stop *stop);
/* Runs to the next stop of this kind. That stop is returned and the task is not resumed. */
struct rfs_stop run_until(struct run *run, enum rfs_stop_kind kind);
/* Frees the tracer and reads the program's output. */
void run_end(struct run *run);
/* Runs a whole program with run_start(), run_all() and run_end(). Returns its exit status. */
int run_program(struct run *run, const char *const *argv, on_stop *f);

/*
 * Updates the list of modules at RFS_STOP_EXEC, and if the interpreter has reported a change. Returns true for such a
 * report, whose task has been resumed.
 */
bool run_modules(struct run *run, const struct rfs_stop *stop);
/*
 * The run-time address of a symbol, or 0. Looks in the first module whose path contains `module`, or in the program if
 * `module` is NULL.
 */
rfs_addr run_symbol(struct run *run, const char *module, const char *symbol);
/* Sets a breakpoint. An error is a failure. */
struct rfs_breakpoint *run_break(const struct rfs_stop *stop, rfs_addr address);

#endif
