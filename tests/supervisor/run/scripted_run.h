/* scripted_run.h - a whole run on the fake tracer, whose policy picks the threads that the test says. */
#ifndef RFS_TEST_SCRIPTED_RUN_H
#define RFS_TEST_SCRIPTED_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "supervisor/record/run_result.h"
#include "supervisor/record/run_spec.h"
#include "tests/supervisor/fake_tracer/fake_tracer.h"

/*
 * Makes a run. picks: a digit for each choice, the number of the thread. After the last one, and where the thread
 * cannot be chosen, the policy picks the first thread that can. A letter picks a thread even if it cannot run: A is
 * thread 0. The test fails if a choice is made while a thread of the target still runs. spec: NULL, or the spec of
 * scripted_spec() with changes. The caller releases *out. The log of the tracer says what the threads did.
 */
void scripted_run(const struct fake_step *const *scripts, const char *picks, const struct rfs_run_spec *spec,
		  struct rfs_run_result *out);
struct rfs_run_spec scripted_spec(void);
/* The memory of the next runs has these seconds, as a struct timespec, at the address. */
void scripted_time(rfs_addr address, int64_t seconds);
/* What was possible at each choice so far: the numbers of the threads that could run, as "0 01 1". */
const char *scripted_choices(void);
/* Whether one of the run's warnings has this text. */
bool scripted_warns(const struct rfs_run_result *result, const char *text);

#endif
