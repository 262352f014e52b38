/* match_frame.c - whether the program has the code of a frame, and where Valgrind had loaded the modules. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>
#include <xxhash.h>

#include "disasm/dwarf/dwarf.h"
#include "disasm/elf/elf.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/path.h"
#include "supervisor/campaign/triage/match-priv.h"
#include "supervisor/campaign/triage/match.h"
#include "supervisor/import/import.h"

bool rfs_match_line_fits(const struct rfs_match_module *module, rfs_addr vaddr, const struct rfs_import_frame *frame)
{
	struct rfs_line line;

	if (!frame->line)
		return true;
	return module->dwarf && rfs_dwarf_line(module->dwarf, vaddr, &line) && line.line == frame->line &&
	       strcmp(rfs_base_name(line.file), rfs_base_name(frame->file)) == 0;
}

bool rfs_match_is_named(const struct rfs_match_module *module, const char *name)
{
	const char *base = rfs_base_name(name);

	return strcmp(base, rfs_base_name(module->input.path)) == 0 ||
	       (module->real && strcmp(base, rfs_base_name(module->real)) == 0);
}

bool rfs_match_offset_of(const struct rfs_match *match, uint64_t process, size_t module, uint64_t address,
			 rfs_addr *vaddr)
{
	const struct rfs_match_process *found;
	uint64_t base;

	HASH_FIND(hh, match->processes, &process, sizeof(process), found);
	base = found ? found->bases[module] : RFS_MATCH_NO_BASE;
	/* Valgrind loads the program itself at the same address in each process, but not its libraries */
	if (base == RFS_MATCH_NO_BASE && module == 0)
		base = match->program_base;
	if (base == RFS_MATCH_NO_BASE)
		return false;
	*vaddr = address - base;
	return rfs_elf_function_at(match->modules[module].elf, *vaddr) != NULL;
}

struct learning {
	struct rfs_match *match;
	const struct rfs_import_frame *frame;
	size_t n, module;
	uint64_t base;
};

static void note_base(void *arg, const struct rfs_match_function *function)
{
	struct learning *learning = arg;
	const struct rfs_match_module *module = &learning->match->modules[function->module];
	const char *reported = learning->frame->module;
	rfs_addr vaddr = function->start + ((learning->frame->address - function->start) & (RFS_MATCH_PAGE - 1));

	/* a function that is longer than a page has several such places */
	if (function->end - function->start > RFS_MATCH_PAGE || vaddr >= function->end ||
	    (reported && !rfs_match_is_named(module, reported)) ||
	    (module->dwarf && !rfs_match_line_fits(module, vaddr, learning->frame)))
		return;
	learning->n++;
	learning->module = function->module;
	learning->base = learning->frame->address - vaddr;
}

/* A few lines of a build may differ, because tools choose differently if several lines have code at an address. */
static void count_line(struct rfs_match *match, uint64_t process, const struct rfs_import_frame *frame)
{
	for (size_t i = 0; i < match->n_modules && frame->line; i++) {
		struct rfs_match_module *module = &match->modules[i];
		rfs_addr vaddr;

		if (!module->dwarf || !rfs_match_offset_of(match, process, i, frame->address, &vaddr))
			continue;
		if (rfs_match_line_fits(module, vaddr, frame))
			module->fits++;
		else
			module->differs++;
	}
}

static struct rfs_match_process *match_frame_process_of(struct rfs_match *match, uint64_t number)
{
	struct rfs_match_process *process;

	HASH_FIND(hh, match->processes, &number, sizeof(number), process);
	if (process)
		return process;
	process = xcalloc(1, sizeof(*process));
	process->number = number;
	process->bases = xcalloc(match->n_modules + 1, sizeof(*process->bases));
	for (size_t i = 0; i < match->n_modules; i++)
		process->bases[i] = RFS_MATCH_NO_BASE;
	HASH_ADD(hh, match->processes, number, sizeof(process->number), process);
	return process;
}

void rfs_match_learn(struct rfs_match *match, uint64_t process, const struct rfs_import_stack *stack)
{
	for (size_t i = 0; i < stack->n; i++) {
		struct learning learning = {.match = match, .frame = &stack->frames[i]};

		if (!stack->frames[i].address || !stack->frames[i].function || rfs_import_is_tool(&stack->frames[i]))
			continue;
		rfs_match_functions(match, stack->frames[i].function, note_base, &learning);
		if (learning.n == 1) {
			uint64_t *base = &match_frame_process_of(match, process)->bases[learning.module];

			if (*base == RFS_MATCH_NO_BASE)
				*base = learning.base;
			if (learning.module == 0 && match->program_base == RFS_MATCH_NO_BASE)
				match->program_base = learning.base;
		}
		/* an inlined function is at the same address as its caller, whose line is another one */
		if (i == 0 || stack->frames[i - 1].address != stack->frames[i].address)
			count_line(match, process, &stack->frames[i]);
	}
}

static void note_code(void *arg, const struct rfs_match_function *function)
{
	(void)function;
	*(bool *)arg = true;
}

static void note_range(void *arg, rfs_addr start, rfs_addr end)
{
	(void)start;
	(void)end;
	*(bool *)arg = true;
}

struct file_search {
	const struct rfs_dwarf *dwarf;
	unsigned line;
	bool found;
};

static void match_frame_note_file(void *arg, const char *file)
{
	struct file_search *search = arg;

	(void)rfs_dwarf_ranges(search->dwarf, file, search->line, note_range, &search->found);
}

static bool search_frame(struct rfs_match *match, uint64_t process, const struct rfs_import_frame *frame)
{
	bool found = false;
	rfs_addr vaddr;

	for (size_t i = 0; i < match->n_modules && !found; i++) {
		const struct rfs_match_module *module = &match->modules[i];

		found = frame->has_offset && frame->build_id && strlen(frame->build_id) >= 16 &&
			strncmp(module->input.build_id, frame->build_id, strlen(frame->build_id)) == 0;
		/* of a library, ThreadSanitizer often knows only the offset */
		if (frame->has_offset && !frame->build_id && !frame->function && frame->module &&
		    rfs_match_is_named(module, frame->module))
			found = rfs_elf_function_at(module->elf, frame->offset) != NULL;
		for (const char *tail = frame->line ? frame->file : NULL; tail && *tail && module->dwarf && !found;) {
			const char *slash = strchr(*tail == '/' ? tail + 1 : tail, '/');
			struct file_search search = {module->dwarf, frame->line, false};

			if (rfs_dwarf_files(module->dwarf, tail, match_frame_note_file, &search))
				slash = NULL;
			found = search.found;
			tail = slash ? slash + 1 : NULL;
		}
	}
	for (size_t i = 0; i < match->n_modules && !found && frame->address; i++)
		found = rfs_match_offset_of(match, process, i, frame->address, &vaddr);
	if (!found && frame->function)
		rfs_match_functions(match, frame->function, note_code, &found);
	return found;
}

/* Many reports have the same frames, and each search looks at all source files. */
struct rfs_match_seen {
	XXH128_hash_t frame; /* key */
	bool found;
	UT_hash_handle hh;
};

static XXH128_hash_t hash_frame(uint64_t process, const struct rfs_import_frame *frame)
{
	const char *function = frame->function ? frame->function : "", *file = frame->file ? frame->file : "",
		   *module = frame->module ? frame->module : "", *build_id = frame->build_id ? frame->build_id : "";
	char *text =
		xasprintf("%s\n%s\n%s\n%s\n%u %d %" PRIx64 " %" PRIx64 " %" PRIu64, function, file, module, build_id,
			  frame->line, frame->has_offset, frame->offset, frame->address, frame->address ? process : 0);
	XXH128_hash_t hash = XXH3_128bits(text, strlen(text));

	free(text);
	return hash;
}

bool rfs_match_frame(struct rfs_match *match, uint64_t process, const struct rfs_import_frame *frame)
{
	XXH128_hash_t hash = hash_frame(process, frame);
	struct rfs_match_seen *seen;

	HASH_FIND(hh, match->seen, &hash, sizeof(hash), seen);
	if (!seen) {
		seen = xcalloc(1, sizeof(*seen));
		seen->frame = hash;
		seen->found = search_frame(match, process, frame);
		HASH_ADD(hh, match->seen, frame, sizeof(seen->frame), seen);
	}
	return seen->found;
}

void rfs_match_release_frames(struct rfs_match *match)
{
	struct rfs_match_seen *seen, *next;
	struct rfs_match_process *process, *next_process;

	HASH_ITER (hh, match->processes, process, next_process) {
		HASH_DEL(match->processes, process);
		free(process->bases);
		free(process);
	}
	HASH_ITER (hh, match->seen, seen, next) {
		HASH_DEL(match->seen, seen);
		free(seen);
	}
}
