/* html_names.c - the names of sites, objects and locks in an HTML page. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "policy/core/op.h"
#include "policy/policy.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/path.h"
#include "supervisor/base/site.h"
#include "supervisor/base/text/op_text.h"
#include "supervisor/record/record.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/trace_file.h"
#include "supervisor/report/html/html-priv.h"
#include "supervisor/report/html/html.h"
#include "supervisor/report/text/schedule_text.h"
#include "supervisor/symbols/source.h"
#include "supervisor/symbols/source_place.h"
#include "supervisor/symbols/symbolize.h"

#define RETURNS (1ull << 63)

static const char *html_names_module_of(const struct rfs_page *page, size_t number)
{
	return number < page->record->n_modules ? page->record->modules[number].path : NULL;
}

static void html_names_look_up(const struct rfs_page *page, uint64_t key, struct rfs_html_site *out)
{
	struct rfs_source_place named = {0};
	struct rfs_place place = {0};
	size_t number;

	if (rfs_site_split(key & ~RETURNS, &number, &place.offset))
		place.module = (char *)html_names_module_of(page, number);
	if (!place.module) {
		out->at = xstrdup("");
		out->title = xstrdup("");
		out->source = xstrdup("");
		return;
	}
	rfs_symbols_place(page->symbols, &place, key & RETURNS, &named);
	out->at = rfs_symbols_text(page->symbols, &place, key & RETURNS);
	if (named.file) {
		out->title = xasprintf("%s%s%s:%u", named.function ? named.function : "", named.function ? ", " : "",
				       named.file, named.line);
		out->source = rfs_source_line(named.file, named.line);
	} else {
		out->title = xasprintf("%s+0x%llx", place.module, (unsigned long long)place.offset);
	}
	if (!out->source)
		out->source = xstrdup("");
	rfs_source_place_release(&named);
}

const struct rfs_html_site *rfs_html_site(struct rfs_html_names *names, const struct rfs_trace_entry *entry)
{
	uint64_t key = entry->site | (rfs_op_is_instruction((enum rfs_op_kind)entry->kind) ? 0 : RETURNS);
	struct rfs_html_site *site;

	HASH_FIND(hh, names->sites, &key, sizeof(key), site);
	if (site)
		return site;
	site = xcalloc(1, sizeof(*site));
	site->key = key;
	html_names_look_up(names->page, key, site);
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

bool rfs_html_is_side(const struct rfs_page *page, const struct rfs_trace_entry *entry, int side)
{
	const struct rfs_evidence *evidence = &page->result->created.side[side];
	uint64_t vaddr;
	size_t number;

	return entry->thread == (unsigned)evidence->thread && evidence->site.module &&
	       rfs_site_split(entry->site, &number, &vaddr) && number < page->record->n_modules &&
	       vaddr == evidence->site.offset && strcmp(page->record->modules[number].path, evidence->site.module) == 0;
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

void rfs_html_learn(struct rfs_html_names *names, const struct rfs_trace_entry *entries, size_t n)
{
	const struct rfs_run_result *result = names->page->result;

	for (size_t i = 0; i < n; i++) {
		const struct rfs_trace_entry *entry = &entries[i];

		if (entry->name != RFS_NAME_HEAP && entry->name != RFS_NAME_MAPPED && entry->name != RFS_NAME_STACK)
			continue;
		if ((entry->kind >= RFS_OP_LOCK && entry->kind <= RFS_OP_DESTROY) ||
		    entry->kind == RFS_OP_BARRIER_ARRIVE)
			html_names_learn(names, entry, argument_of(rfs_html_site(names, entry)->source));
		if (names->page->variable && result->n_created && i >= result->created.step &&
		    (rfs_html_is_side(names->page, entry, 0) || rfs_html_is_side(names->page, entry, 1)))
			html_names_learn(names, entry,
					 xstrndup(names->page->variable, strcspn(names->page->variable, ",")));
	}
}

char *rfs_html_object(const struct rfs_html_names *names, const struct rfs_trace_entry *entry)
{
	const struct rfs_page *page = names->page;
	const char *module = html_names_module_of(page, entry->index);
	struct rfs_object object = {.kind = RFS_MEMORY_STATIC, .thread = -1};
	struct rfs_html_object key, *known = html_names_object_of(names, entry, &key);
	char *name = NULL;

	if (known)
		return xstrdup(known->name);
	switch ((enum rfs_trace_name)entry->name) {
	case RFS_NAME_MODULE:
		object.place = (struct rfs_place){(char *)module, entry->offset};
		if (module)
			name = rfs_symbols_object(page->symbols, &object, NULL);
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

char *rfs_html_operation(const struct rfs_html_names *names, const struct rfs_trace_entry *entry)
{
	char *object = rfs_html_object(names, entry), *text;

	if (entry->kind == RFS_TRACE_OUTPUT) {
		text = xasprintf("output of %llu bytes", (unsigned long long)entry->offset);
	} else if (rfs_op_is_access((enum rfs_op_kind)entry->kind) && (entry->access & RFS_ACCESS_CALL)) {
		text = xstrdup(rfs_access_text(entry->access, RFS_ACCESS_NOUN));
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
