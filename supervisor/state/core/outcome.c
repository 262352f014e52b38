/* outcome.c - how a run ends, and the warnings for its user. */
#include "supervisor/state/core/outcome.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "supervisor/base/alloc.h"
#include "supervisor/record/run_result.h"
#include "supervisor/state/core/run_state.h"

void rfs_run_end(struct rfs_run *run, enum rfs_run_end end, int detail)
{
	if (run->ended)
		return;
	run->ended = true;
	run->result->end = end;
	run->result->detail = detail;
}

void rfs_run_uncontrolled(struct rfs_run *run, const char *format, ...)
{
	char line[512];
	va_list args;

	if (run->ended)
		return;
	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	run->result->message = xstrdup(line);
	rfs_run_end(run, RFS_END_UNCONTROLLED, 0);
}

void rfs_run_warn(struct rfs_run *run, const char *format, ...)
{
	struct rfs_run_result *r = run->result;
	char line[512];
	va_list args;

	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	for (size_t i = 0; i < r->n_warnings; i++)
		if (strcmp(r->warnings[i], line) == 0)
			return;
	r->warnings = xreallocarray(r->warnings, r->n_warnings + 1, sizeof(*r->warnings));
	r->warnings[r->n_warnings++] = xstrdup(line);
}
