/* match.c - finds the code that a frame, an access or a lock of a report means; see match.h. */
#include "supervisor/campaign/triage/match.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "disasm/dwarf/dwarf.h"
#include "disasm/elf/elf.h"
#include "disasm/rewrite/code.h"
#include "supervisor/access/calls/range_call.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"
#include "supervisor/base/path.h"
#include "supervisor/base/siteset.h"
#include "supervisor/campaign/predicted/cycle_names.h"
#include "supervisor/campaign/triage/match-priv.h"
#include "supervisor/import/function_name.h"
#include "supervisor/import/import.h"
#include "supervisor/symbols/symbolize.h"

#define FRAMES_MAX 32
/* A statement of more instructions than this would say nothing about the line of the report. */
#define SITES_MAX 64
/* Another compiler, or other optimisations, may give an access to a line nearby: the next line of a long expression. */
#define NEAR_LINES 3
/* If no instruction of the line fits, those of the function are taken, unless there are more than this. */
#define MOVED_MAX 8

const char *rfs_match_how_text(enum rfs_match_how how)
{
	static const char *const texts[] = {
		[RFS_MATCH_OFFSET] = "offset",	   [RFS_MATCH_UNNAMED] = "offset without build-id",
		[RFS_MATCH_LINE] = "line",	   [RFS_MATCH_NEAR] = "nearby line",
		[RFS_MATCH_FUNCTION] = "function", [RFS_MATCH_VARIABLE] = "variable",
	};

	return texts[how];
}

struct rfs_match *rfs_match_new(struct rfs_symbols *symbols, const struct rfs_match_input *modules, size_t n)
{
	struct rfs_match *match = xcalloc(1, sizeof(*match));

	match->symbols = symbols;
	match->program_base = RFS_MATCH_NO_BASE;
	match->modules = xcalloc(n + 1, sizeof(*match->modules));
	for (size_t i = 0; i < n; i++) {
		const struct rfs_elf *elf = rfs_symbols_elf(symbols, modules[i].path);

		if (elf)
			match->modules[match->n_modules++] = (struct rfs_match_module){
				.input = modules[i],
				.real = realpath(modules[i].path, NULL),
				.elf = elf,
				.dwarf = rfs_symbols_dwarf(symbols, modules[i].path),
			};
	}
	return match;
}

void rfs_match_free(struct rfs_match *match)
{
	if (!match)
		return;
	rfs_match_release_index(match);
	rfs_match_release_frames(match);
	for (size_t i = 0; i < match->n_modules; i++) {
		if (match->modules[i].locks)
			rfs_code_free(match->modules[i].locks);
		free(match->modules[i].real);
	}
	free(match->modules);
	free(match);
}

void rfs_matched_release(struct rfs_matched *matched)
{
	free(matched->sites);
	*matched = (struct rfs_matched){0};
}

/* ---- candidates ---- */

static bool match_is_free(const char *name)
{
	return strcmp(name, "free") == 0 || strncmp(name, "operator delete", 15) == 0 || strncmp(name, "_Zd", 3) == 0;
}

/* Whether the call of `callee` is what a report calls `called`: "free", "operator delete(void*)", "__memcpy_chk". */
static bool is_called(const char *callee, const char *called)
{
	static const char *const prefixes[] = {"___interceptor_", "__interceptor_", "__"};
	char *bare = rfs_function_bare_name(called);
	const char *plain = bare;
	bool same;

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++)
		if (strncmp(plain, prefixes[i], strlen(prefixes[i])) == 0)
			plain += strlen(prefixes[i]);
	same = strstr(callee, plain) != NULL || (match_is_free(plain) && match_is_free(callee));
	free(bare);
	return same;
}

static unsigned match_kind_of(const struct rfs_match_search *search, const struct rfs_match_module *module,
			      const struct rfs_code_site *site)
{
	const struct rfs_import_access *access = search->access;
	struct rfs_match_insn insn;

	if (site->kind == RFS_CODE_CALL)
		return search->called ? (is_called(site->callee, search->called) ? 3 : 1) : 1;
	if (site->kind != RFS_CODE_ACCESS || !rfs_match_insn(search->match, module, site, &insn))
		return 0;
	if (search->only_calls)
		return 0;
	/* the compiler may have made a move of a small memcpy() */
	if (search->called)
		return (access->writes ? insn.writes : insn.reads) && !match_is_free(search->called) ? 1 : 0;
	if (access->writes ? !insn.writes : !insn.reads)
		return 0;
	return !access->size || !insn.size || insn.size == access->size ? 3 : 2;
}

/* How many functions that are inlined at vaddr are the next frames of the stack. */
static unsigned inlined_at(const struct rfs_match_search *search, const struct rfs_match_module *module, rfs_addr vaddr)
{
	struct rfs_frame frames[FRAMES_MAX];
	size_t n = module->dwarf ? rfs_dwarf_frames(module->dwarf, vaddr, frames, FRAMES_MAX) : 0, same = 0;
	const struct rfs_import_stack *stack = search->stack;
	const struct rfs_function *function;
	char *symbol = NULL;

	if (!stack->frames[search->own].function)
		return 1;
	if (!n) {
		function = rfs_elf_function_at(module->elf, vaddr);
		if (!function || !function->name)
			return 0;
		symbol = rfs_demangle(function->name);
		frames[0] = (struct rfs_frame){.function = symbol ? symbol : function->name};
		n = 1;
	}
	for (size_t i = 0; i < n && search->own + i < stack->n; i++) {
		const char *reported = stack->frames[search->own + i].function;
		char *a = rfs_function_bare_name(frames[i].function ? frames[i].function : ""),
		     *b = rfs_function_bare_name(reported ? reported : "");
		bool equal = rfs_function_name_same(a, b);

		free(a);
		free(b);
		if (!equal)
			break;
		same++;
	}
	free(symbol);
	return same == n ? 2 : same ? 1 : 0;
}

void rfs_match_add(struct rfs_match_search *search, size_t module, const struct rfs_code_site *site, unsigned inlined,
		   unsigned far)
{
	struct rfs_match_candidate candidate = {module, site, inlined, 3, far};

	if (search->access)
		candidate.kind = match_kind_of(search, &search->match->modules[module], site);
	if (!candidate.kind)
		return;
	if ((search->n & (search->n - 1)) == 0)
		search->found = xreallocarray(search->found, search->n ? search->n * 2 : 1, sizeof(*search->found));
	search->found[search->n++] = candidate;
}

/* The sites of a module of the kind that is searched. */
size_t rfs_match_sites(struct rfs_match_search *search, size_t module, const struct rfs_code_site **out)
{
	struct rfs_match_module *m = &search->match->modules[module];

	return search->access ? rfs_match_accesses(m, out) : rfs_match_locks(search->match, m, out);
}

bool rfs_match_counts(const struct rfs_match_search *search, const struct rfs_code_site *site)
{
	return search->access ? site->kind == RFS_CODE_ACCESS || site->kind == RFS_CODE_CALL
			      : site->kind == RFS_CODE_CALL;
}

/* Keeps the candidates that fit best. */
static void keep_best(struct rfs_match_search *search)
{
	struct rfs_match_candidate best = {.far = UINT32_MAX};
	size_t kept = 0;

	for (size_t i = 0; i < search->n; i++) {
		const struct rfs_match_candidate *c = &search->found[i];

		if (c->inlined > best.inlined ||
		    (c->inlined == best.inlined && (c->far < best.far || (c->far == best.far && c->kind > best.kind))))
			best = *c;
	}
	for (size_t i = 0; i < search->n; i++) {
		const struct rfs_match_candidate *c = &search->found[i];

		if (c->inlined == best.inlined && c->far == best.far && c->kind == best.kind)
			search->found[kept++] = *c;
	}
	search->n = kept;
}

static int match_compare_sites(const void *a, const void *b)
{
	const struct rfs_site_ref *x = a, *y = b;

	return rfs_site_compare(x->module, x->offset, y->module, y->offset);
}

static void match_take(struct rfs_match_search *search, enum rfs_match_how how, struct rfs_matched *out)
{
	size_t kept = 0;

	out->how = how;
	out->sites = xcalloc(search->n + 1, sizeof(*out->sites));
	for (size_t i = 0; i < search->n; i++) {
		const struct rfs_match_candidate *c = &search->found[i];

		out->sites[i] = (struct rfs_site_ref){
			.module = search->match->modules[c->module].input.path,
			.offset = c->site->vaddr + (search->access ? 0 : c->site->length),
		};
	}
	qsort(out->sites, search->n, sizeof(*out->sites), match_compare_sites);
	for (size_t i = 0; i < search->n; i++)
		if (!kept || match_compare_sites(&out->sites[kept - 1], &out->sites[i]) != 0)
			out->sites[kept++] = out->sites[i];
	out->n = kept;
	free(search->found);
	search->found = NULL;
	search->n = 0;
}

/* ---- by file and line ---- */

static void match_add_range(void *arg, rfs_addr start, rfs_addr end)
{
	struct rfs_match_search *search = arg;
	const struct rfs_code_site *sites;
	size_t n = rfs_match_sites(search, search->module, &sites);

	search->has_code = true;
	for (size_t i = rfs_code_sites_from(sites, n, start); i < n && sites[i].vaddr < end; i++)
		if (rfs_match_counts(search, &sites[i]))
			rfs_match_add(search, search->module, &sites[i],
				      inlined_at(search, &search->match->modules[search->module], sites[i].vaddr), 0);
}

static void match_add_file(void *arg, const char *file)
{
	struct rfs_match_search *search = arg;

	(void)rfs_dwarf_ranges(search->match->modules[search->module].dwarf, file, search->line, match_add_range,
			       search);
}

/* Whether the frame may be in this module. The file of the other build may have another name, so a name that no module
 * has excludes none. */
bool rfs_match_may_be_in(const struct rfs_match_search *search, size_t module)
{
	const char *name = search->stack->frames[search->own].module;
	bool any = false;

	for (size_t i = 0; name && i < search->match->n_modules; i++) {
		bool same = rfs_match_is_named(&search->match->modules[i], name);

		if (same && i == module)
			return true;
		any |= same;
	}
	return !any;
}

/*
 * Calls match_add_range() for the code of file and line. The path of a report may be of another machine, and Valgrind
 * writes only the last component. So ever shorter ends of the path are tried, until a module has a file with that end.
 * False if there is none.
 */
static bool search_line(struct rfs_match_search *search, const char *file, unsigned line)
{
	search->line = line;
	for (const char *tail = file; tail && *tail;) {
		const char *slash = strchr(*tail == '/' ? tail + 1 : tail, '/');
		size_t files = 0;

		for (size_t i = 0; i < search->match->n_modules; i++) {
			search->module = i;
			if (search->match->modules[i].dwarf && rfs_match_may_be_in(search, i))
				files += rfs_dwarf_files(search->match->modules[i].dwarf, tail, match_add_file, search);
		}
		if (files)
			return true;
		tail = slash ? slash + 1 : NULL;
	}
	return false;
}

/* ---- by function ---- */

static void match_add_all(void *arg, const struct rfs_match_function *function)
{
	struct rfs_match_search *search = arg;
	const struct rfs_code_site *sites;
	size_t n;

	if (!rfs_match_may_be_in(search, function->module))
		return;
	search->has_code = true;
	n = rfs_match_sites(search, function->module, &sites);
	for (size_t i = rfs_code_sites_from(sites, n, function->start); i < n && sites[i].vaddr < function->end; i++)
		if (rfs_match_counts(search, &sites[i]))
			rfs_match_add(search, function->module, &sites[i], 2, 0);
}

/* ---- accesses and locks ---- */

static const char *wanted_text(const struct rfs_match_search *search)
{
	return !search->access		? "acquire a lock"
	       : search->access->writes ? "write shared memory"
					: "read shared memory";
}

static int match_refuse(const struct rfs_match_search *search, bool has_file, char *why, size_t n)
{
	const struct rfs_import_frame *frame = &search->stack->frames[search->own];

	if (frame->line && has_file && search->has_code)
		return rfs_why(why, n, -ENOENT, "%s:%u does not %s in this build", frame->file, frame->line,
			       wanted_text(search));
	if (frame->line && has_file)
		return rfs_why(why, n, -ENOENT, "%s:%u has no code in this build", frame->file, frame->line);
	if (frame->function && search->has_code)
		return rfs_why(why, n, -ENOENT, "function '%s' does not %s in this build", frame->function,
			       wanted_text(search));
	if (frame->line || frame->function)
		return rfs_why(why, n, -ENOENT, "the program has no function '%s'%s%s",
			       frame->function ? frame->function : "?", frame->file ? " and no file " : "",
			       frame->file ? frame->file : "");
	return rfs_why(
		why, n, -ENOENT,
		"the frame has no file, no function and no build-id of this program%s%s; build the program with -g "
		"for the other tool",
		frame->module ? ", only an address in " : "", frame->module ? frame->module : "");
}

static void error_too_many(struct rfs_matched *out, const struct rfs_import_frame *frame, char *why, size_t n)
{
	if (frame->function)
		(void)rfs_why(why, n, -ENOENT,
			      "function '%s' has %zu such instructions, and the report has no line to choose one",
			      frame->function, out->n);
	else
		(void)rfs_why(why, n, -ENOENT, "the report fits %zu instructions", out->n);
	rfs_matched_release(out);
}

/*
 * The compiler gave the access to a line elsewhere, as if it moved or merged it. The instructions of this kind and size
 * in the function are candidates, if they are few. Inlined functions have no symbol.
 */
static void match_same_function(struct rfs_match_search *search)
{
	for (size_t i = search->own; i < search->stack->n && !search->n; i++) {
		bool has_code = search->has_code;

		search->has_code = false;
		if (search->stack->frames[i].function)
			rfs_match_functions(search->match, search->stack->frames[i].function, match_add_all, search);
		if (search->has_code)
			i = search->stack->n;
		search->has_code |= has_code;
	}
	for (size_t i = 0; i < search->n; i++)
		if (search->found[i].kind < 3 || search->found[i].site->kind == RFS_CODE_CALL)
			search->found[i--] = search->found[--search->n];
	if (search->n > MOVED_MAX)
		search->n = 0;
}

static int match_find(struct rfs_match_search *search, struct rfs_matched *out, char *why, size_t n)
{
	const struct rfs_import_frame *frame = &search->stack->frames[search->own];
	enum rfs_match_how how = RFS_MATCH_OFFSET;
	bool has_file = false, has_lines = false;

	if (rfs_match_by_unnamed_offset(search)) {
		how = RFS_MATCH_UNNAMED;
	} else if (!rfs_match_by_offset(search) && !rfs_match_by_address(search)) {
		how = RFS_MATCH_LINE;
		if (frame->line)
			has_file = search_line(search, frame->file, frame->line);
		has_lines = has_file;
		if (!search->n && rfs_match_by_block(search))
			how = RFS_MATCH_NEAR;
		for (unsigned d = 1; has_file && !search->n && d <= NEAR_LINES; d++) {
			how = RFS_MATCH_NEAR;
			if (frame->line > d)
				(void)search_line(search, frame->file, frame->line - d);
			(void)search_line(search, frame->file, frame->line + d);
			for (size_t i = 0; i < search->n; i++)
				if (search->found[i].inlined == 0 || search->found[i].kind < 3)
					search->found[i--] = search->found[--search->n];
		}
		if (has_lines && !search->n && search->access && !search->called) {
			how = RFS_MATCH_FUNCTION;
			match_same_function(search);
		}
		if (!has_lines && frame->function) {
			how = RFS_MATCH_FUNCTION;
			rfs_match_functions(search->match, frame->function, match_add_all, search);
		}
	}
	if (!search->n)
		return match_refuse(search, has_file, why, n);
	keep_best(search);
	match_take(search, how, out);
	if (out->n <= SITES_MAX)
		return 0;
	error_too_many(out, frame, why, n);
	return -ENOENT;
}

static bool is_library_call(const char *function, bool access)
{
	static const char *const prefixes[] = {"___interceptor_", "__interceptor_"};

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++)
		if (strncmp(function, prefixes[i], strlen(prefixes[i])) == 0)
			function += strlen(prefixes[i]);
	return access ? rfs_range_call_known(function) || strncmp(function, "operator delete", 15) == 0
		      : rfs_acquires_lock(function);
}

/*
 * Begins a search at the first frame that is not of the tool. clang links its run-time library into the program, so a
 * frame without a file may be the tool's version of a function of the C library. 0, or -ENOENT and a line in why.
 */
static int match_begin(struct rfs_match_search *search, struct rfs_match *match, const struct rfs_import_report *report,
		       const struct rfs_import_access *access, const struct rfs_import_stack *stack, char *why,
		       size_t n)
{
	size_t own = rfs_import_first_own(stack);

	*search = (struct rfs_match_search){.match = match, .report = report, .access = access, .stack = stack};
	if (own > 0)
		search->called = stack->frames[own - 1].function ? stack->frames[own - 1].function : "";
	while (own + 1 < stack->n && !stack->frames[own].file && stack->frames[own].function &&
	       is_library_call(stack->frames[own].function, access != NULL))
		search->called = stack->frames[own++].function;
	search->own = own;
	if (own < stack->n)
		return 0;
	return rfs_why(why, n, -ENOENT, "%s",
		       report->cut ? "the file ends inside the report"
		       : stack->n  ? "the stack is inside the other tool"
				   : "the report has no stack of it");
}

static void note_watched(void *arg, const struct rfs_match_function *function)
{
	struct rfs_match_search *search = arg;

	search->has_code |= search->match->modules[function->module].input.watched;
}

static void note_watched_line(void *arg, rfs_addr start, rfs_addr end)
{
	struct rfs_match_search *search = arg;

	(void)start;
	(void)end;
	search->has_code = true;
}

static void note_watched_file(void *arg, const char *file)
{
	struct rfs_match_search *search = arg;

	(void)rfs_dwarf_ranges(search->match->modules[search->module].dwarf, file, search->line, note_watched_line,
			       search);
}

/* Whether the frame is in a module whose accesses are tested, and not in a library of the system. */
static bool is_watched(struct rfs_match_search *search, size_t i)
{
	const struct rfs_import_frame *frame = &search->stack->frames[i];

	const struct rfs_match *match = search->match;
	rfs_addr vaddr;

	for (size_t m = 0; m < match->n_modules && frame->address; m++)
		if (rfs_match_offset_of(match, search->report->process, m, frame->address, &vaddr))
			return match->modules[m].input.watched;
	search->has_code = false;
	if (frame->function)
		rfs_match_functions(search->match, frame->function, note_watched, search);
	/* a library may have a file of the same name as the program, as read.c; it seldom has code at the same line */
	search->line = frame->line;
	for (size_t m = 0; m < match->n_modules && frame->line && !search->has_code; m++) {
		search->module = m;
		if (match->modules[m].dwarf && match->modules[m].input.watched)
			(void)rfs_dwarf_files(match->modules[m].dwarf, rfs_base_name(frame->file), note_watched_file,
					      search);
	}
	return search->has_code;
}

/*
 * What a function of the C library accesses for its caller, such as write() and printf(), counts as an access of the
 * caller. Moves the search to the caller. False if the access is not in a library.
 */
static bool to_caller(struct rfs_match_search *search)
{
	size_t own = search->own;

	if (is_watched(search, own))
		return false;
	while (++own < search->stack->n)
		if (is_watched(search, own)) {
			const char *called = search->stack->frames[own - 1].function;

			search->called = called ? called : "";
			search->only_calls = true;
			search->own = own;
			return true;
		}
	return false;
}

int rfs_match_access(struct rfs_match *match, const struct rfs_import_report *report,
		     const struct rfs_import_access *access, struct rfs_matched *out, char *why, size_t n)
{
	struct rfs_match_search search;
	int error = match_begin(&search, match, report, access, &access->stack, why, n);

	*out = (struct rfs_matched){0};
	if (!error && (!to_caller(&search) || match_find(&search, out, why, n))) {
		free(search.found);
		error = match_begin(&search, match, report, access, &access->stack, why, n);
		if (!error)
			error = match_find(&search, out, why, n);
	}
	free(search.found);
	return error;
}

int rfs_match_lock(struct rfs_match *match, const struct rfs_import_report *report,
		   const struct rfs_import_stack *stack, struct rfs_matched *out, char *why, size_t n)
{
	struct rfs_match_search search;
	int error = match_begin(&search, match, report, NULL, stack, why, n);

	*out = (struct rfs_matched){0};
	if (!error)
		error = match_find(&search, out, why, n);
	free(search.found);
	return error;
}

void rfs_match_locks_before(struct rfs_match *match, const struct rfs_import_stack *stack,
			    const struct rfs_matched *wanted, struct rfs_matched *out)
{
	static const struct rfs_import_report none;

	*out = (struct rfs_matched){0};
	for (size_t own = rfs_import_first_own(stack); own < stack->n && !out->n; own++) {
		struct rfs_match_search search = {.match = match, .report = &none, .stack = stack, .own = own};
		size_t kept = 0;

		if (stack->frames[own].function)
			rfs_match_functions(match, stack->frames[own].function, match_add_all, &search);
		match_take(&search, RFS_MATCH_FUNCTION, out);
		for (size_t i = 0; i < out->n; i++) {
			bool is_wanted = false;

			for (size_t k = 0; k < wanted->n; k++)
				is_wanted |= match_compare_sites(&out->sites[i], &wanted->sites[k]) == 0;
			if (!is_wanted)
				out->sites[kept++] = out->sites[i];
		}
		out->n = kept;
		if (!kept)
			rfs_matched_release(out);
	}
}
