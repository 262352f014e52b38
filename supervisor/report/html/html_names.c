/* html_names.c - the names of sites, objects and locks in an HTML page. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "policy/core/op.h"
#include "policy/policy.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/path.h"
#include "supervisor/base/text/op_text.h"
#include "supervisor/record/record.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/trace_file.h"
#include "supervisor/report/html/html-priv.h"
#include "supervisor/report/html/html.h"
#include "supervisor/report/text/schedule_text.h"
#include "supervisor/report/text/text_put.h"
#include "supervisor/symbols/source.h"
#include "supervisor/symbols/source_place.h"
#include "supervisor/symbols/symbolize.h"

static const char *html_names_module_of(const void *run, size_t number)
{
	const struct rfs_record *record = run;

	return number < record->n_modules ? record->modules[number].path : NULL;
}

void rfs_html_names_open(struct rfs_html_names *names, const struct rfs_page *page,
			 const struct rfs_trace_entry *entries)
{
	*names = (struct rfs_html_names){
		.page = page,
		.operations = {page->symbols, html_names_module_of, page->record, entries,
			       rfs_trace_stacks_read(page->record->trace)},
	};
}

static void html_names_look_up(const struct rfs_html_names *names, size_t i, struct rfs_html_site *out)
{
	struct rfs_source_place named;

	rfs_operation_place(&names->operations, i, &named);
	out->at = named.module ? rfs_symbols_short(&named) : xstrdup("");
	if (named.module && named.file) {
		out->title = xasprintf("%s%s%s:%u", named.function ? named.function : "", named.function ? ", " : "",
				       named.file, named.line);
		out->source = rfs_source_line(named.file, named.line);
	} else {
		out->title = named.module ? xasprintf("%s+0x%llx", named.module, (unsigned long long)named.offset)
					  : xstrdup("");
	}
	if (!out->source)
		out->source = xstrdup("");
	rfs_source_place_release(&named);
}

const struct rfs_html_site *rfs_html_site(struct rfs_html_names *names, size_t i)
{
	const struct rfs_trace_stack stack = rfs_trace_stack_of(names->operations.stacks, i);
	struct rfs_html_site wanted, *site;

	memset(&wanted, 0, sizeof(wanted));
	wanted.key.site = names->operations.trace[i].site;
	wanted.key.stack = XXH3_64bits(stack.sites, stack.n * sizeof(*stack.sites));
	HASH_FIND(hh, names->sites, &wanted.key, sizeof(wanted.key), site);
	if (site)
		return site;
	site = xcalloc(1, sizeof(*site));
	site->key = wanted.key;
	html_names_look_up(names, i, site);
	HASH_ADD(hh, names->sites, key, sizeof(site->key), site);
	return site;
}

/*
 * The first argument of the first call of a thread function in a source line, without "&". Caller frees; NULL: there is
 * none, or it is no plain expression.
 */
static char *argument_of(const char *source)
{
	static const char *const calls[] = {"pthread_", "sem_",	   "mtx_",	 "cnd_",
					    "g_mutex_", "g_cond_", "g_rw_lock_", "g_rec_mutex_"};

	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		const char *call = strstr(source, calls[i]), *end;
		size_t n;

		if (!call || (call > source && (isalnum((unsigned char)call[-1]) || call[-1] == '_')))
			continue;
		call += strspn(call, "abcdefghijklmnopqrstuvwxyz_");
		if (*call != '(')
			continue;
		call += 1 + strspn(call + 1, " &");
		end = call + strcspn(call, ",()");
		n = (size_t)(end - call);
		if (n && *end != '(' && *end)
			return xstrndup(call, n);
	}
	return NULL;
}

size_t rfs_html_race_row(const struct rfs_html_names *names, size_t n)
{
	const struct rfs_run_result *result = names->page->result;

	return result->n_created ? rfs_trace_row(names->operations.trace, n, result->created.step) : SIZE_MAX;
}

bool rfs_html_is_side(const struct rfs_html_names *names, size_t i, int side)
{
	const struct rfs_evidence *evidence = &names->page->result->created.side[side];

	return names->operations.trace[i].thread == (unsigned)evidence->thread &&
	       rfs_operation_is_at(&names->operations, i, &evidence->site);
}

static struct rfs_html_object *html_names_object_of(const struct rfs_html_names *names,
						    const struct rfs_trace_entry *entry, struct rfs_html_object *key)
{
	struct rfs_html_object *object;

	memset(key, 0, sizeof(*key));
	key->key.offset = entry->offset;
	key->key.where = (uint64_t)entry->name << 16 | entry->index;
	HASH_FIND(hh, names->objects, &key->key, sizeof(key->key), object);
	return object;
}

/* name: becomes the property of names; NULL: nothing is learnt. */
static void html_names_learn(struct rfs_html_names *names, const struct rfs_trace_entry *entry, char *name)
{
	struct rfs_html_object key, *object = html_names_object_of(names, entry, &key);

	if (!name || object) {
		free(name);
		return;
	}
	object = xcalloc(1, sizeof(*object));
	object->key = key.key;
	object->name = name;
	HASH_ADD(hh, names->objects, key, sizeof(object->key), object);
}

/* The variable on a stack that operation i is on. Caller frees; NULL: it is not known which one it is. */
static char *html_names_variable(const struct rfs_html_names *names, size_t i)
{
	return rfs_trace_stack_of(names->operations.stacks, i).frame ? rfs_operation_object(&names->operations, i)
								     : NULL;
}

/*
 * One expression may name several locks: "l->m" in a function that locks its argument. Then the place in the heap tells
 * them apart. The report has it too.
 */
static void tell_apart(struct rfs_html_names *names)
{
	struct rfs_html_object *object, *other, *next, *after;

	HASH_ITER (hh, names->objects, object, next)
		HASH_ITER (hh, names->objects, other, after)
			if (other != object && strcmp(other->name, object->name) == 0)
				object->is_shared = true;
	HASH_ITER (hh, names->objects, object, next) {
		char *name = object->name;

		if (!object->is_shared || object->key.where >> 16 != RFS_NAME_HEAP)
			continue;
		object->name = xasprintf("%s (heap+0x%llx)", name, (unsigned long long)object->key.offset);
		free(name);
	}
}

/* A call that accesses an object of the kernel, such as a file. */
static bool is_system_call(const struct rfs_trace_entry *entry)
{
	return rfs_op_is_access((enum rfs_op_kind)entry->kind) && (entry->access & RFS_ACCESS_CALL);
}

void rfs_html_learn(struct rfs_html_names *names, size_t n)
{
	const size_t race = rfs_html_race_row(names, n);

	for (size_t i = 0; i < n; i++) {
		const struct rfs_trace_entry *entry = &names->operations.trace[i];

		const bool call = is_system_call(entry);

		html_names_learn(names, entry, entry->name == RFS_NAME_STACK ? html_names_variable(names, i) : NULL);
		if (entry->name != RFS_NAME_HEAP && entry->name != RFS_NAME_MAPPED && entry->name != RFS_NAME_STACK &&
		    !call)
			continue;
		if ((entry->kind >= RFS_OP_LOCK && entry->kind <= RFS_OP_DESTROY) ||
		    entry->kind == RFS_OP_BARRIER_ARRIVE)
			html_names_learn(names, entry, argument_of(rfs_html_site(names, i)->source));
		if (names->page->variable && i >= race &&
		    (rfs_html_is_side(names, i, 0) || rfs_html_is_side(names, i, 1)))
			html_names_learn(names, entry, rfs_text_variable(names->page->variable, ""));
	}
	tell_apart(names);
}

char *rfs_html_object(const struct rfs_html_names *names, size_t i)
{
	const struct rfs_trace_entry *entry = &names->operations.trace[i];
	const char *module = html_names_module_of(names->page->record, rfs_trace_module(entry));
	struct rfs_html_object key, *known = html_names_object_of(names, entry, &key);
	char *name;

	if (known)
		return xstrdup(known->name);
	switch ((enum rfs_trace_name)entry->name) {
	case RFS_NAME_MODULE:
		name = rfs_operation_object(&names->operations, i);
		return name ? name : xasprintf("%s+0x%llx", rfs_base_name(module), (unsigned long long)entry->offset);
	case RFS_NAME_STACK:
		return xasprintf("stack of thread %u, %llu bytes below its top", entry->index,
				 (unsigned long long)entry->offset);
	case RFS_NAME_HEAP:
		return xasprintf("heap+0x%llx", (unsigned long long)entry->offset);
	case RFS_NAME_MAPPED:
		return xasprintf("mapped%s0x%llx", (int64_t)entry->offset < 0 ? "-" : "+",
				 (unsigned long long)((int64_t)entry->offset < 0 ? -entry->offset : entry->offset));
	case RFS_NAME_RAW:
		break;
	}
	return xstrdup("");
}

char *rfs_html_operation(const struct rfs_html_names *names, size_t i)
{
	const struct rfs_trace_entry *entry = &names->operations.trace[i];
	char *object = rfs_html_object(names, i), *text;

	if (entry->kind == RFS_TRACE_OUTPUT) {
		text = xasprintf("output of %llu bytes", (unsigned long long)entry->offset);
	} else if (is_system_call(entry)) {
		text = xasprintf("%s%s%s", rfs_access_text(entry->access, RFS_ACCESS_NOUN), *object ? " on " : "",
				 object);
	} else if (rfs_op_is_access((enum rfs_op_kind)entry->kind) &&
		   (entry->access & (RFS_ACCESS_FREE | RFS_ACCESS_LIBRARY))) {
		text = xasprintf("%s %s", rfs_access_text(entry->access, RFS_ACCESS_COMMAND), object);
	} else if (rfs_op_is_access((enum rfs_op_kind)entry->kind)) {
		const char *how = rfs_access_text(entry->access, RFS_ACCESS_COMMAND);

		/* large numbers are addresses, or negative */
		if (entry->size <= sizeof(entry->value))
			text = xasprintf(entry->value > 1000000000 ? "%s %s = 0x%llx" : "%s %s = %llu", how, object,
					 (unsigned long long)entry->value);
		else
			text = xasprintf("%s %u bytes of %s", how, entry->size, object);
	} else {
		text = rfs_schedule_text_call(entry, object);
	}
	free(object);
	return text;
}

void rfs_html_names_release(struct rfs_html_names *names)
{
	struct rfs_html_site *site, *next;
	struct rfs_html_object *object, *after;

	rfs_trace_stacks_free((struct rfs_trace_stacks *)names->operations.stacks);
	HASH_ITER (hh, names->objects, object, after) {
		HASH_DEL(names->objects, object);
		free(object->name);
		free(object);
	}

	HASH_ITER (hh, names->sites, site, next) {
		HASH_DEL(names->sites, site);
		free(site->at);
		free(site->title);
		free(site->source);
		free(site);
	}
}
