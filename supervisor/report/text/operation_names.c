/* operation_names.c - names the operations of a trace as the user wrote them. */
#include "supervisor/report/text/operation_names.h"

#include <stdlib.h>

#include "policy/core/op.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/site.h"
#include "supervisor/record/trace_file.h"
#include "supervisor/symbols/place.h"
#include "supervisor/symbols/source_place.h"
#include "supervisor/symbols/symbolize.h"

static struct rfs_place operation_names_place_of(const struct rfs_operation_names *names, uint64_t site)
{
	const char *module;
	uint64_t vaddr;
	size_t number;

	if (!rfs_site_split(site, &number, &vaddr) || !(module = names->module(names->run, number)))
		return (struct rfs_place){NULL, site};
	return (struct rfs_place){(char *)module, vaddr};
}

void rfs_operation_place(const struct rfs_operation_names *names, size_t i, struct rfs_source_place *out)
{
	const struct rfs_trace_entry *entry = &names->trace[i];
	const struct rfs_trace_stack stack = rfs_trace_stack_of(names->stacks, i);
	const struct rfs_place place = operation_names_place_of(names, entry->site);
	/* for an operation that is a call, the trace contains the return address */
	const bool returns = !rfs_op_is_instruction((enum rfs_op_kind)entry->kind);
	struct rfs_place *callers;
	/* the first site of a stack is where the thread is; that is the operation, or a function that the site calls */
	size_t first = stack.n > 0, n;

	*out = (struct rfs_source_place){.offset = entry->site};
	if (!place.module)
		return;
	while (first < stack.n && stack.sites[first] == entry->site)
		first++;
	n = stack.n > first ? stack.n - first : 0;
	callers = xcalloc(n ? n : 1, sizeof(*callers));
	for (size_t k = 0; k < n; k++)
		callers[k] = operation_names_place_of(names, stack.sites[first + k]);
	rfs_symbols_caller(names->symbols, &place, returns, callers, n, out);
	free(callers);
}

bool rfs_operation_is_at(const struct rfs_operation_names *names, size_t i, const struct rfs_place *place)
{
	const struct rfs_place at = operation_names_place_of(names, names->trace[i].site);

	return at.module && rfs_place_is_same(&at, place);
}

char *rfs_operation_object(const struct rfs_operation_names *names, size_t i)
{
	const struct rfs_trace_entry *entry = &names->trace[i];
	const struct rfs_trace_stack stack = rfs_trace_stack_of(names->stacks, i);
	struct rfs_object object = {.thread = -1};

	if (entry->name == RFS_NAME_MODULE) {
		object.kind = RFS_MEMORY_STATIC;
		object.place =
			(struct rfs_place){(char *)names->module(names->run, rfs_trace_module(entry)), entry->offset};
	} else if (entry->name == RFS_NAME_STACK && stack.frame) {
		object.kind = RFS_MEMORY_STACK;
		object.place = operation_names_place_of(names, stack.frame);
		object.below_cfa = stack.below_cfa;
		object.thread = entry->index;
	}
	return object.place.module ? rfs_symbols_object(names->symbols, &object, NULL) : NULL;
}
