/* text_debug.c - says how to get the debug information that a report lacks. */
#include "supervisor/report/text/text_debug.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/report/data/report.h"
#include "supervisor/report/data/report_groups.h"
#include "supervisor/report/text/debian_package.h"
#include "supervisor/report/text/text_put.h"
#include "supervisor/symbols/source_place.h"

/* How many modules are named. */
#define MODULES 3

struct missing {
	const char *modules[MODULES];
	size_t n;
};

static void text_debug_look_at(struct missing *missing, const struct rfs_source_place *place)
{
	if (!place || !place->module || place->file || place->described || *place->module != '/' ||
	    missing->n == MODULES)
		return;
	for (size_t i = 0; i < missing->n; i++)
		if (strcmp(missing->modules[i], place->module) == 0)
			return;
	missing->modules[missing->n++] = place->module;
}

static void look_at_own(struct missing *missing, const struct rfs_source_stack *stack)
{
	const struct rfs_source_place *place;

	if (!stack->n_frames)
		return;
	place = &stack->frames[rfs_source_stack_first_own(stack)];
	if (!rfs_source_place_is_foreign(place))
		text_debug_look_at(missing, place);
}

static void look_at_threads(struct missing *missing, const struct rfs_report_waiter *threads, size_t n)
{
	for (size_t i = 0; i < n; i++)
		look_at_own(missing, &threads[i].stack);
}

static void look_at_item(struct missing *missing, const struct rfs_report_item *item)
{
	for (int i = 0; item->pair && i < 2; i++)
		text_debug_look_at(missing, rfs_report_own_place(&item->pair->statement[i]));
	if (item->deadlock)
		look_at_threads(missing, item->deadlock->threads, item->deadlock->n_threads);
	if (item->failure)
		look_at_threads(missing, item->failure->threads, item->failure->n_threads);
	look_at_own(missing, &rfs_report_item_shown(item)->stack);
}

static const char *build_id(const struct rfs_report *report, const char *module)
{
	for (size_t i = 0; i < report->n_modules; i++)
		if (strcmp(report->modules[i].name, module) == 0)
			return report->modules[i].build_id;
	return NULL;
}

static void put_hint(struct rfs_text *text, const char *module, const char *id)
{
	const char *servers = getenv("DEBUGINFOD_URLS");
	char real[PATH_MAX], *package = rfs_debian_package(RFS_DPKG_LISTS, realpath(module, real) ? real : module);
	bool served = id && servers && *servers;

	rfs_text_put(text, "    %s", module);
	if (id)
		rfs_text_put(text, " (build-id %s)", id);
	if (served)
		rfs_text_put(text, ": debuginfod-find debuginfo %s", id);
	/* glibc has its debug information in a package with another name */
	if (package)
		rfs_text_put(text, "%s install the package %s%s", served ? ", or" : ":", package,
			     strcmp(package, "libc6") == 0 ? "-dbg" : "-dbgsym");
	else if (!served)
		rfs_text_put(text, ": compile it with -g");
	rfs_text_put(text, "\n");
	free(package);
}

void rfs_text_put_debug_hints(struct rfs_text *text, const struct rfs_report *report,
			      const struct rfs_report_groups *groups)
{
	struct missing missing = {.n = 0};

	for (size_t i = 0; i < groups->n; i++)
		look_at_item(&missing, &groups->list[i].items[0]);
	for (size_t i = 0; i < report->n_pairs; i++)
		if (report->pairs[i].verdict == RFS_VERDICT_UNCLEAR)
			look_at_item(&missing, &(struct rfs_report_item){.pair = &report->pairs[i]});
	if (missing.n)
		rfs_text_put(text, "\nno debug information, so lines, variables and atomics are not known\n");
	for (size_t i = 0; i < missing.n; i++)
		put_hint(text, missing.modules[i], build_id(report, missing.modules[i]));
}
