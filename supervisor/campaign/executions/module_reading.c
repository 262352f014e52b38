/* module_reading.c - reads module after module until the time is used up, and lists those that were left out. */
#include "supervisor/campaign/executions/module_reading.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "disasm/rewrite/code.h"
#include "supervisor/access/code_cache.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/clock.h"
#include "supervisor/base/interrupt.h"
#include "supervisor/campaign/decisions/arm.h"
#include "supervisor/campaign/executions/atomic_moves.h"
#include "supervisor/campaign/executions/campaign_state.h"
#include "supervisor/campaign/executions/tally.h"
#include "supervisor/campaign/executions/warnings.h"
#include "supervisor/campaign/settings/options.h"
#include "supervisor/campaign/settings/program.h"
#include "supervisor/campaign/settings/settings.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/symbols/symbolize.h"
#include "supervisor/sync/pthread_calls.h"

/* When reading must stop. */
struct limit {
	const struct rfs_campaign *c;
	double deadline; /* 0: none */
};

static bool module_reading_is_over(void *arg)
{
	const struct limit *limit = arg;

	return (limit->deadline > 0 && rfs_clock() >= limit->deadline) ||
	       rfs_interrupted(limit->c->settings->cancel_fd);
}

static bool module_reading_has(char *const *paths, size_t n, const char *path)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(paths[i], path) == 0)
			return true;
	return false;
}

static void module_reading_append(char ***paths, size_t *n, const char *path)
{
	*paths = xreallocarray(*paths, *n + 2, sizeof(**paths));
	(*paths)[(*n)++] = xstrdup(path);
	(*paths)[*n] = NULL;
}

static void module_reading_warn(struct rfs_campaign *c, const char *what, const char *path, const char *effect)
{
	char *line = xasprintf("%s of %s were not all read within their part of the budget, so %s; give it a larger "
			       "--budget",
			       what, path, effect);

	rfs_warnings_give(c->warnings, line);
	free(line);
}

/* Makes the plans that the next runs need. */
static void module_reading_plan(const struct rfs_campaign *c, const struct rfs_elf *elf)
{
	if (c->two_passes) {
		rfs_plan_cache_get(elf, RFS_FILTER_REPEATS);
		rfs_plan_cache_get(elf, RFS_FILTER_PLACES);
	} else {
		rfs_plan_cache_get(elf, RFS_FILTER_NONE);
	}
}

static void read_module(struct rfs_campaign *c, const char *path)
{
	const struct rfs_elf *elf = rfs_symbols_elf(c->symbols, path);
	const double started = rfs_clock(), share = rfs_budget_read(c->options->budget) - c->reading->seconds;
	struct limit limit = {c, c->options->budget > 0 ? started + share : 0};
	const struct rfs_code_stop stop = {module_reading_is_over, &limit};

	if (!elf || module_reading_has(c->reading->unread, c->reading->n_unread, path))
		return;
	/* the plan depends on the atomic moves */
	if (!rfs_code_cache_read(elf, &stop)) {
		module_reading_append(&c->reading->unread, &c->reading->n_unread, path);
		module_reading_warn(c, "the functions", path, "its accesses are not watched");
	} else {
		if (!rfs_atomic_moves_add(c->moves, c->symbols, path, &stop))
			module_reading_warn(c, "the atomic loads and stores", path,
					    "some may be reported as unconfirmed pairs");
		module_reading_plan(c, elf);
		rfs_tsc_insns_cache_get(elf);
	}
	c->reading->seconds += rfs_clock() - started;
}

/* The path of the program as the kernel names the module. False: with --follow, it is not known. */
static bool program_module(const struct rfs_campaign *c, char path[PATH_MAX])
{
	if (c->options->run.follow)
		return false;
	if (!realpath(c->settings->program->path, path))
		snprintf(path, PATH_MAX, "%s", c->settings->program->path);
	return true;
}

void rfs_module_reading_modules(struct rfs_campaign *c)
{
	char path[PATH_MAX];

	if (c->reading->ended)
		return;
	/* before the first run, only the program is known */
	if (program_module(c, path))
		read_module(c, path);
	for (size_t i = 0; i < c->tally->n_modules; i++) {
		const struct rfs_run_module *module = &c->tally->modules[i];
		const struct rfs_elf *elf = rfs_symbols_elf(c->symbols, module->path);

		if (module->watched)
			read_module(c, module->path);
		if (elf)
			rfs_code_cache_fill(elf, rfs_pthread_is_libc(module->path));
	}
}

/* Keeps the list, unless there is an equal one. */
static char *const *module_reading_keep(struct rfs_module_reading *reading, char **list, size_t n)
{
	for (size_t i = 0; i < reading->n_lists; i++) {
		size_t k = 0;

		while (k < n && reading->lists[i][k] && strcmp(reading->lists[i][k], list[k]) == 0)
			k++;
		if (k < n || reading->lists[i][k])
			continue;
		for (k = 0; k < n; k++)
			free(list[k]);
		free(list);
		return reading->lists[i];
	}
	reading->lists = xreallocarray(reading->lists, reading->n_lists + 1, sizeof(*reading->lists));
	return reading->lists[reading->n_lists++] = list;
}

char *const *rfs_module_reading_unwatched(struct rfs_campaign *c, bool program_only)
{
	char **list = NULL, path[PATH_MAX];
	size_t n = 0;

	for (size_t i = 0; i < c->reading->n_unread; i++)
		module_reading_append(&list, &n, c->reading->unread[i]);
	if (program_only && program_module(c, path))
		for (size_t i = 0; i < c->tally->n_modules; i++) {
			const struct rfs_run_module *module = &c->tally->modules[i];

			if (module->watched && strcmp(module->path, path) != 0 &&
			    !module_reading_has(list, n, module->path))
				module_reading_append(&list, &n, module->path);
		}
	return n ? module_reading_keep(c->reading, list, n) : NULL;
}

void rfs_module_reading_release(struct rfs_module_reading *reading)
{
	for (size_t i = 0; i < reading->n_unread; i++)
		free(reading->unread[i]);
	free(reading->unread);
	for (size_t i = 0; i < reading->n_lists; i++) {
		for (char **path = reading->lists[i]; *path; path++)
			free(*path);
		free(reading->lists[i]);
	}
	free(reading->lists);
	*reading = (struct rfs_module_reading){0};
}
