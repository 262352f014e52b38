/* lessons.c - sets of lessons, and how they get into the spec of the next run. */
#include "supervisor/record/lessons.h"

#include <string.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/siteset.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/run_spec.h"

static bool learn_trap(struct rfs_lessons *lessons, bool traps_rdtsc)
{
	bool is_new = traps_rdtsc && !lessons->traps_rdtsc;

	lessons->traps_rdtsc |= traps_rdtsc;
	return is_new;
}

bool rfs_lessons_join(struct rfs_lessons *lessons, const struct rfs_lessons *other)
{
	bool grown = rfs_site_set_join(&lessons->spin, &other->spin);

	return learn_trap(lessons, other->traps_rdtsc) || grown;
}

bool rfs_lessons_learn(struct rfs_lessons *lessons, const struct rfs_run_result *result)
{
	bool grown = learn_trap(lessons, result->restart == RFS_RESTART_TRAP_RDTSC);

	for (size_t i = 0; i < result->n_spin; i++)
		if (result->spin[i].module)
			grown |= rfs_site_set_add(&lessons->spin, result->spin[i].module, result->spin[i].offset);
	return grown;
}

void rfs_lessons_take(struct rfs_lessons *lessons, const struct rfs_run_lessons *spec)
{
	for (size_t i = 0; i < spec->n_spin; i++)
		rfs_site_set_add(&lessons->spin, spec->spin[i].module, spec->spin[i].offset);
	learn_trap(lessons, spec->traps_rdtsc);
}

void rfs_lessons_give(const struct rfs_lessons *lessons, struct rfs_run_lessons *spec)
{
	spec->spin = lessons->spin.sites;
	spec->n_spin = lessons->spin.n;
	spec->traps_rdtsc = lessons->traps_rdtsc;
}

bool rfs_lessons_equal(const struct rfs_lessons *a, const struct rfs_lessons *b)
{
	return a->traps_rdtsc == b->traps_rdtsc && rfs_site_set_equal(&a->spin, &b->spin);
}

void rfs_lessons_release(struct rfs_lessons *lessons)
{
	rfs_site_set_release(&lessons->spin);
	lessons->traps_rdtsc = false;
}

static const char *const prefixes[] = {
	[RFS_WORD_LOCK] = "[lock]",
	[RFS_WORD_SHARED] = "[shared lock]",
	[RFS_WORD_NONE] = "[no lock]",
};

static const char about_process[] = "[process]";

char *rfs_lesson_about_process(const char *path)
{
	return xasprintf("%s%s", about_process, path);
}

const char *rfs_lesson_of_process(const struct rfs_run_lessons *spec)
{
	const size_t length = sizeof(about_process) - 1;

	for (size_t i = 0; i < spec->n_spin; i++)
		if (strncmp(spec->spin[i].module, about_process, length) == 0)
			return spec->spin[i].module + length;
	return NULL;
}

static const char about_family[] = "[processes]";

char *rfs_lesson_about_family(void)
{
	return xstrdup(about_family);
}

bool rfs_lesson_of_family(const struct rfs_run_lessons *spec)
{
	for (size_t i = 0; i < spec->n_spin; i++)
		if (strcmp(spec->spin[i].module, about_family) == 0)
			return true;
	return false;
}

char *rfs_lesson_about_lock(const char *module, enum rfs_word_role role)
{
	return xasprintf("%s%s", prefixes[role], module);
}

enum rfs_word_role rfs_lesson_of_lock(const char *lesson, const char **module)
{
	for (enum rfs_word_role role = RFS_WORD_LOCK; role <= RFS_WORD_NONE; role++) {
		const size_t length = strlen(prefixes[role]);

		if (strncmp(lesson, prefixes[role], length) != 0)
			continue;
		*module = lesson + length;
		return role;
	}
	return RFS_WORD_UNKNOWN;
}
