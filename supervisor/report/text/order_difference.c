/* order_difference.c - walks two traces up to the first two dependent operations whose order differs. */
#include "supervisor/report/text/order_difference.h"

#include <stdint.h>
#include <stdlib.h>

#include "policy/core/dependence.h"
#include "policy/policy.h"
#include "supervisor/base/alloc.h"
#include "supervisor/record/trace_file.h"
#include "supervisor/report/text/schedule_text.h"

/* How many operations after the first difference are looked at, and how far back for each of them. */
#define AHEAD 20000
#define BACK 1000
/* Not in the other run. */
#define ABSENT SIZE_MAX

/* An address for the object of an entry that is the same for equal objects of two runs. */
static rfs_addr order_difference_address_of(const struct rfs_trace_entry *entry)
{
	if (entry->name == RFS_NAME_RAW)
		return entry->offset;
	/* offsets may be negative, so they are kept away from the bits above them */
	return ((uint64_t)entry->name << 56) + ((uint64_t)entry->index << 48) + (1ull << 47) + entry->offset;
}

static bool dependent(const struct rfs_trace_entry *a, const struct rfs_trace_entry *b)
{
	struct rfs_op op[2];
	const struct rfs_trace_entry *entries[2] = {a, b};

	for (int i = 0; i < 2; i++) {
		if (entries[i]->kind >= RFS_OP_COUNT)
			return false; /* output */
		op[i] = (struct rfs_op){
			.kind = (enum rfs_op_kind)entries[i]->kind,
			.access = entries[i]->access,
			.peer = -1,
			.site = entries[i]->site,
			.object = order_difference_address_of(entries[i]),
			.size = entries[i]->size,
		};
	}
	return rfs_dependent(a->thread, &op[0], b->thread, &op[1]);
}

static bool same(const struct rfs_trace_entry *a, const struct rfs_trace_entry *b)
{
	return a->thread == b->thread && a->kind == b->kind && a->site == b->site;
}

/* For each operation of `of` from `first` on, its number in `in`; ABSENT if it is not there. Caller frees. */
static size_t *numbers_in(const struct rfs_operations *of, const struct rfs_operations *in, size_t first)
{
	size_t *numbers = xcalloc(of->n + 1, sizeof(*numbers)), *next;
	unsigned threads = 1;

	for (size_t i = first; i < of->n; i++)
		if (of->list[i].thread >= threads)
			threads = of->list[i].thread + 1u;
	next = xcalloc(threads, sizeof(*next)); /* for each thread, where the search in `in` continues */
	for (unsigned t = 0; t < threads; t++)
		next[t] = first;
	for (size_t i = first; i < of->n; i++) {
		size_t *at = &next[of->list[i].thread];

		while (*at < in->n && in->list[*at].thread != of->list[i].thread)
			(*at)++;
		/* after an operation that differs, nothing of the thread is the same */
		if (*at < in->n && same(&in->list[*at], &of->list[i]))
			numbers[i] = (*at)++;
		else
			numbers[i] = ABSENT, *at = in->n;
	}
	free(next);
	return numbers;
}

size_t rfs_first_difference(const struct rfs_operations *a, const struct rfs_operations *b)
{
	size_t first = 0;

	while (first < a->n && first < b->n && same(&a->list[first], &b->list[first]))
		first++;
	return first;
}

bool rfs_order_difference(const struct rfs_operations *failed, const struct rfs_operations *passed, size_t *earlier,
			  size_t *later)
{
	size_t first = rfs_first_difference(failed, passed), end, *numbers;
	bool found = false;

	end = failed->n - first > AHEAD ? first + AHEAD : failed->n;
	numbers = numbers_in(failed, passed, first);
	for (size_t j = first; j < end && !found; j++) {
		size_t back = j - first > BACK ? j - BACK : first;

		if (numbers[j] == ABSENT)
			continue;
		for (size_t i = j; i-- > back && !found;) {
			if (failed->list[i].thread == failed->list[j].thread ||
			    (numbers[i] != ABSENT && numbers[i] < numbers[j]) ||
			    !dependent(&failed->list[i], &failed->list[j]))
				continue;
			*earlier = i;
			*later = j;
			found = true;
		}
	}
	free(numbers);
	return found;
}

/* Whether operation i of `of` is among the operations of `in` from `from` to `end` - 1. */
static bool is_among(const struct rfs_schedule *of, size_t i, const struct rfs_schedule *in, size_t from, size_t end)
{
	for (size_t k = from; k < end; k++)
		if (same(&in->trace[k], &of->trace[i]))
			return true;
	return false;
}

/* one, other: operation `first` of each run as text. Caller frees. */
static char *order_difference_first(const struct rfs_schedule *failed, const struct rfs_schedule *passed, size_t first,
				    const char *one, const char *other)
{
	const bool other_again = is_among(passed, first, failed, 0, first);

	if (is_among(passed, first, failed, first, failed->n))
		return xasprintf("[%s] comes before %s[%s]", one, other_again ? "the next " : "", other);
	if (is_among(failed, first, passed, first, passed->n))
		return xasprintf("[%s] is executed without %s[%s] before it", one, other_again ? "another " : "",
				 other);
	if (other_again || is_among(failed, first, failed, 0, first))
		return xasprintf("operation %zu is [%s], and not [%s]", first, one, other);
	return xasprintf("[%s] is executed, and not [%s]", one, other);
}

char *rfs_order_difference_text(const struct rfs_schedule *failed, const struct rfs_schedule *passed)
{
	const struct rfs_operations a = {failed->trace, failed->n}, b = {passed->trace, passed->n};
	size_t earlier, later, first = rfs_first_difference(&a, &b);
	char *one, *other, *text, *whole;

	if (rfs_order_difference(&a, &b, &earlier, &later)) {
		one = rfs_schedule_text_operation(failed, earlier);
		other = rfs_schedule_text_operation(failed, later);
		text = xasprintf("[%s] comes before [%s]", one, other);
	} else if (first < failed->n && first < passed->n) {
		one = rfs_schedule_text_operation(failed, first);
		other = rfs_schedule_text_operation(passed, first);
		text = order_difference_first(failed, passed, first, one, other);
	} else {
		return NULL;
	}
	whole = xasprintf("unlike a run that passes: %s", text);
	free(text);
	free(one);
	free(other);
	return whole;
}
