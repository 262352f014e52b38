/*
 * operation_names.h - names the operations of a trace as the user wrote them: by the innermost line of the user's code,
 * and by the variable that the debug information knows.
 */
#ifndef RFS_OPERATION_NAMES_H
#define RFS_OPERATION_NAMES_H

#include <stdbool.h>
#include <stddef.h>

struct rfs_place;
struct rfs_source_place;
struct rfs_symbols;
struct rfs_trace_entry;
struct rfs_trace_stacks;

/* What names the operations of one trace. All members are borrowed. */
struct rfs_operation_names {
	struct rfs_symbols *symbols;
	/* the path of module `number` of the run; NULL: it has no such module */
	const char *(*module)(const void *run, size_t number);
	const void *run;
	const struct rfs_trace_entry *trace;   /* the first entry */
	const struct rfs_trace_stacks *stacks; /* NULL: the trace has none */
};

/*
 * Fills *out with the frame that names entry i: the innermost one in the user's code. Without a stack only the inlined
 * functions of the operation's own instruction are looked through. out->module is NULL if the place is not known. The
 * caller frees *out with rfs_source_place_release().
 */
void rfs_operation_place(const struct rfs_operation_names *names, size_t i, struct rfs_source_place *out);
/* Whether entry i is at this place. */
bool rfs_operation_is_at(const struct rfs_operation_names *names, size_t i, const struct rfs_place *place);
/*
 * The object of entry i, if it is static, or a variable of a function that is being executed. Caller frees; NULL: the
 * entry has no object, or its name is not known.
 */
char *rfs_operation_object(const struct rfs_operation_names *names, size_t i);

#endif
