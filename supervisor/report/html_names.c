#include <stdlib.h>
#include <string.h>

#include "policy/core/op.h"
#include "policy/policy.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/path.h"
#include "supervisor/base/site.h"
#include "supervisor/record/record.h"
#include "supervisor/record/trace_file.h"
#include "supervisor/report/html-priv.h"
#include "supervisor/report/html.h"
#include "supervisor/state/run_result.h"
#include "supervisor/symbols/source.h"
#include "supervisor/symbols/source_place.h"
#include "supervisor/symbols/symbolize.h"

#define RETURNS (1ull << 63)

/* Length of the UTF-8 character at s (RFC 3629, section 4); 0: it is none. */
static size_t utf8_length(const unsigned char *s)
{
	static const struct {
		unsigned char mask, lead, low, high; /* low, high: of the second byte */
		size_t length;
	} forms[] = {
		{0x80, 0x00, 0, 0, 1},	     {0xff, 0xe0, 0xa0, 0xbf, 3}, {0xff, 0xed, 0x80, 0x9f, 3},
		{0xff, 0xf0, 0x90, 0xbf, 4}, {0xff, 0xf4, 0x80, 0x8f, 4}, {0xe0, 0xc0, 0x80, 0xbf, 2},
		{0xf0, 0xe0, 0x80, 0xbf, 3}, {0xf8, 0xf0, 0x80, 0xbf, 4},
	};

	if (*s == 0xc0 || *s == 0xc1 || *s > 0xf4)
		return 0;
	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		if ((*s & forms[i].mask) != forms[i].lead)
			continue;
		for (size_t k = 1; k < forms[i].length; k++)
			if (s[k] < (k == 1 ? forms[i].low : 0x80) || s[k] > (k == 1 ? forms[i].high : 0xbf))
				return 0;
		return forms[i].length;
	}
	return 0;
}

void rfs_html_escape(const char *text, FILE *out)
{
	const unsigned char *s = (const unsigned char *)text;

	while (*s) {
		size_t n = utf8_length(s);

		if (*s == '<')
			fputs("&lt;", out);
		else if (*s == '>')
			fputs("&gt;", out);
		else if (*s == '&')
			fputs("&amp;", out);
		else if (*s == '"')
			fputs("&quot;", out);
		else if (*s == '\'')
			fputs("&#39;", out);
		else if (n == 0 || (*s < ' ' && *s != '\t' && *s != '\n') || *s == 0x7f)
			fputs("&#xfffd;", out);
		else
			fwrite(s, 1, n, out);
		s += n ? n : 1;
	}
}

static const char *module_of(const struct rfs_page *page, size_t number)
{
	return number < page->record->n_modules ? page->record->modules[number].path : NULL;
}

static void look_up(const struct rfs_page *page, uint64_t key, struct rfs_html_site *out)
{
	struct rfs_source_place named = {0};
	struct rfs_place place = {0};
	size_t number;

	if (rfs_site_split(key & ~RETURNS, &number, &place.offset))
		place.module = (char *)module_of(page, number);
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
	free(named.module);
	free(named.file);
	free(named.function);
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
	look_up(names->page, key, site);
	HASH_ADD(hh, names->sites, key, sizeof(site->key), site);
	return site;
}

char *rfs_html_object(const struct rfs_html_names *names, const struct rfs_trace_entry *entry)
{
	const struct rfs_page *page = names->page;
	const char *module = module_of(page, entry->index);
	struct rfs_object object = {.kind = RFS_MEMORY_STATIC, .thread = -1};
	char *name = NULL;

	switch ((enum rfs_trace_name)entry->name) {
	case RFS_NAME_MODULE:
		object.place = (struct rfs_place){(char *)module, entry->offset};
		if (module)
			name = rfs_symbols_object(page->symbols, &object, NULL);
		return name ? name : xasprintf("%s+0x%llx", rfs_base_name(module), (unsigned long long)entry->offset);
	case RFS_NAME_STACK:
		return xasprintf("stack of thread %u, %llu below its top", entry->index,
				 (unsigned long long)entry->offset);
	case RFS_NAME_HEAP:
		return xasprintf("heap+0x%llx", (unsigned long long)entry->offset);
	case RFS_NAME_MAPPED:
		return xasprintf("memory at %s0x%llx", (int64_t)entry->offset < 0 ? "-" : "+",
				 (unsigned long long)((int64_t)entry->offset < 0 ? -entry->offset : entry->offset));
	case RFS_NAME_RAW:
		break;
	}
	return xstrdup("");
}

char *rfs_html_operation(const struct rfs_html_names *names, const struct rfs_trace_entry *entry)
{
	char *object = rfs_html_object(names, entry), *text;
	unsigned both = RFS_ACCESS_READ | RFS_ACCESS_WRITE;

	if (entry->kind == RFS_TRACE_OUTPUT) {
		text = xasprintf("output of %llu bytes", (unsigned long long)entry->offset);
	} else if (rfs_op_is_access((enum rfs_op_kind)entry->kind)) {
		const char *how = (entry->access & both) == both    ? "update"
				  : entry->access & RFS_ACCESS_READ ? "read"
								    : "write";

		if (entry->size <= sizeof(entry->value))
			text = xasprintf("%s %s = %llu", how, object, (unsigned long long)entry->value);
		else
			text = xasprintf("%s %u bytes of %s", how, entry->size, object);
	} else {
		text = xasprintf("%s%s%s%s", rfs_op_name((enum rfs_op_kind)entry->kind), *object ? " " : "", object,
				 entry->outcome == RFS_OUTCOME_TIMED_OUT ? ", timed out" : "");
	}
	free(object);
	return text;
}

void rfs_html_names_release(struct rfs_html_names *names)
{
	struct rfs_html_site *site, *next;

	HASH_ITER (hh, names->sites, site, next) {
		HASH_DEL(names->sites, site);
		free(site->at);
		free(site->title);
		free(site->source);
		free(site);
	}
}
