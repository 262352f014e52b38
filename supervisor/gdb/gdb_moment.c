/* gdb_moment.c - adds, shortens and copies the legs of a moment. How a replay gets there is in gdb_travel.c. */
#include "supervisor/gdb/gdb_moment.h"

#include <stdlib.h>
#include <string.h>

#include "supervisor/base/alloc.h"

void rfs_gdb_moment_set(struct rfs_gdb_moment *moment, const struct rfs_gdb_moment *from)
{
	struct rfs_gdb_moment copy = *from;

	copy.legs = from->n ? xcalloc(from->n, sizeof(*copy.legs)) : NULL;
	if (from->n)
		memcpy(copy.legs, from->legs, from->n * sizeof(*copy.legs));
	free(moment->legs);
	*moment = copy;
}

void rfs_gdb_moment_after(struct rfs_gdb_moment *moment, uint64_t choices)
{
	moment->choices = choices;
	moment->n = 0;
}

void rfs_gdb_moment_before(struct rfs_gdb_moment *moment, uint64_t choices)
{
	const struct rfs_gdb_leg leg = {.mark = RFS_MARK_CHOICE, .count = 1};

	rfs_gdb_moment_after(moment, choices);
	rfs_gdb_moment_add(moment, &leg);
}

static bool is_same(const struct rfs_gdb_leg *a, const struct rfs_gdb_leg *b)
{
	if (a->mark != b->mark)
		return false;
	switch (a->mark) {
	case RFS_MARK_STEP:
		return a->thread == b->thread;
	case RFS_MARK_WATCH:
		return a->address == b->address && a->size == b->size && a->reads == b->reads;
	default:
		return a->address == b->address;
	}
}

void rfs_gdb_moment_add(struct rfs_gdb_moment *moment, const struct rfs_gdb_leg *leg)
{
	if (moment->n && is_same(&moment->legs[moment->n - 1], leg)) {
		moment->legs[moment->n - 1].count += leg->count;
		return;
	}
	moment->legs = xreallocarray(moment->legs, moment->n + 1, sizeof(*moment->legs));
	moment->legs[moment->n++] = *leg;
}

void rfs_gdb_moment_shorten(struct rfs_gdb_moment *moment)
{
	if (moment->n && --moment->legs[moment->n - 1].count == 0)
		moment->n--;
	/* a choice has no thread that runs yet, so the moment after it is the one before it */
	if (!moment->n && moment->choices)
		rfs_gdb_moment_before(moment, moment->choices - 1);
}

bool rfs_gdb_moment_is_start(const struct rfs_gdb_moment *moment)
{
	return !moment->choices && !moment->n;
}

void rfs_gdb_moment_release(struct rfs_gdb_moment *moment)
{
	free(moment->legs);
	*moment = (struct rfs_gdb_moment){0};
}

bool rfs_gdb_course_choices(struct rfs_gdb_course *course, uint64_t choices)
{
	course->near = choices == course->goal.choices;
	course->leg = course->count = 0;
	return course->near && !course->goal.n;
}

/* The leg whose marks are counted now. NULL: the way to the goal is elsewhere. */
static const struct rfs_gdb_leg *current(const struct rfs_gdb_course *course)
{
	return course->near && course->leg < course->goal.n ? &course->goal.legs[course->leg] : NULL;
}

bool rfs_gdb_course_pass(struct rfs_gdb_course *course, const struct rfs_gdb_leg *mark)
{
	const struct rfs_gdb_leg *leg = current(course);

	if (!leg || !is_same(leg, mark) || ++course->count < leg->count)
		return false;
	course->count = 0;
	return ++course->leg == course->goal.n;
}

uint64_t rfs_gdb_course_room(const struct rfs_gdb_course *course, const struct rfs_gdb_leg *mark)
{
	const struct rfs_gdb_leg *leg = current(course);

	return leg && is_same(leg, mark) ? leg->count - course->count - 1 : UINT64_MAX;
}

void rfs_gdb_course_skip(struct rfs_gdb_course *course, const struct rfs_gdb_leg *mark, uint64_t n)
{
	const struct rfs_gdb_leg *leg = current(course);

	if (leg && is_same(leg, mark))
		course->count += n;
}

const struct rfs_gdb_leg *rfs_gdb_course_steps(const struct rfs_gdb_course *course)
{
	const struct rfs_gdb_leg *leg = current(course);

	return leg && leg->mark == RFS_MARK_STEP ? leg : NULL;
}
