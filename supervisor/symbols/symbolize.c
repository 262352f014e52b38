/* symbolize.c - asks the ELF and DWARF readers of disasm/, and turns what they say into text. */
#include "supervisor/symbols/symbolize.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "disasm/addr.h"
#include "disasm/dwarf/dwarf.h"
#include "disasm/elf/elf.h"
#include "disasm/insn/insn.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/memory_name.h"
#include "supervisor/base/path.h"
#include "supervisor/symbols/heap_name.h"
#include "supervisor/symbols/place.h"
#include "supervisor/symbols/source_files.h"
#include "supervisor/symbols/source_place.h"
#include "tracer/elf_cache.h"

#define MAX_INLINED 64 /* the largest number of frames of one instruction; further outer frames are left out */
#define NAME_MAX_BYTES 512

struct known_module {
	char *path;
	struct rfs_elf *elf; /* borrowed from the process-wide cache */
	struct rfs_dwarf *dwarf;
	/*
	 * The debug information was read, or must not be read. It is big, so it is read only when a line or a
	 * variable is looked up.
	 */
	bool dwarf_asked;
	char *warning;
	UT_hash_handle hh;
};

struct rfs_symbols {
	struct known_module *modules; /* by path */
	/* made when first needed */
	struct rfs_source_files *sources;
	struct rfs_decoder *decoder;
};

struct rfs_symbols *rfs_symbols_new(void)
{
	return xcalloc(1, sizeof(struct rfs_symbols));
}

void rfs_symbols_free(struct rfs_symbols *symbols)
{
	struct known_module *module, *next;

	if (!symbols)
		return;
	HASH_ITER (hh, symbols->modules, module, next) {
		HASH_DEL(symbols->modules, module);
		rfs_dwarf_free(module->dwarf);
		free(module->warning);
		free(module->path);
		free(module);
	}
	rfs_source_files_free(symbols->sources);
	if (symbols->decoder)
		rfs_decoder_free(symbols->decoder);
	free(symbols);
}

struct rfs_source_files *rfs_symbols_sources(struct rfs_symbols *symbols)
{
	if (!symbols->sources)
		symbols->sources = rfs_source_files_new();
	return symbols->sources;
}

struct rfs_decoder *rfs_symbols_decoder(struct rfs_symbols *symbols)
{
	if (!symbols->decoder && rfs_decoder_new(&symbols->decoder))
		symbols->decoder = NULL;
	return symbols->decoder;
}

static struct known_module *symbolize_module_of(struct rfs_symbols *symbols, const char *path)
{
	struct known_module *module;
	char why[512] = "";
	const char *warning;

	HASH_FIND_STR(symbols->modules, path, module);
	if (module)
		return module;
	module = xcalloc(1, sizeof(*module));
	module->path = xstrdup(path);
	if (rfs_elf_cache_get(path, &module->elf, why, sizeof(why)))
		module->warning = xstrdup(why);
	else if ((warning = rfs_elf_warning(module->elf)))
		module->warning = xstrdup(warning);
	HASH_ADD_KEYPTR(hh, symbols->modules, module->path, strlen(module->path), module);
	return module;
}

const struct rfs_elf *rfs_symbols_elf(struct rfs_symbols *symbols, const char *module)
{
	return symbolize_module_of(symbols, module)->elf;
}

const struct rfs_dwarf *rfs_symbols_dwarf(struct rfs_symbols *symbols, const char *path)
{
	struct known_module *module = symbolize_module_of(symbols, path);
	char why[512] = "";
	int error;

	if (module->dwarf_asked || !module->elf)
		return module->dwarf;
	module->dwarf_asked = true;
	error = rfs_dwarf_open(path, &module->dwarf, why, sizeof(why));
	if (error && error != -ENODATA && !module->warning)
		module->warning =
			why[0] ? xstrdup(why) : xasprintf("%s: debug information: %s", path, strerror(-error));
	return module->dwarf;
}

void rfs_symbols_names_only(struct rfs_symbols *symbols, const char *module)
{
	symbolize_module_of(symbols, module)->dwarf_asked = true;
}

const char *rfs_symbols_warning(struct rfs_symbols *symbols, const char *module)
{
	rfs_symbols_dwarf(symbols, module);
	return symbolize_module_of(symbols, module)->warning;
}

/* The name in the symbol table, demangled. Caller frees; NULL if there is no name. */
static char *symbol_name(const struct rfs_elf *elf, rfs_addr vaddr)
{
	const struct rfs_function *function = elf ? rfs_elf_function_at(elf, vaddr) : NULL;
	const char *called;
	char *plain;

	if (elf && rfs_elf_in_plt(elf, vaddr)) {
		/* the stubs of a PLT have 16 bytes, and those of .plt.got have 8 */
		called = rfs_elf_plt_name(elf, vaddr & ~15ull);
		if (!called)
			called = rfs_elf_plt_name(elf, vaddr & ~7ull);
		if (called)
			return xasprintf("%s@plt", called);
	}
	if (!function || !function->name)
		return NULL;
	plain = rfs_demangle(function->name);
	return plain ? plain : xstrdup(function->name);
}

/*
 * Names a function without a name by the last named function before it. The distance is that of the function's start,
 * so all places in it get the same name. Caller frees; NULL: there is no function, or no name before it.
 */
static char *near_name(const struct rfs_elf *elf, rfs_addr vaddr)
{
	const struct rfs_function *function = elf ? rfs_elf_function_at(elf, vaddr) : NULL, *list;
	size_t n = elf ? rfs_elf_functions(elf, &list) : 0, i;
	char *plain, *text;

	if (!function || function->name)
		return NULL;
	for (i = n; i > 0; i--)
		if (list[i - 1].start < function->start && list[i - 1].name)
			break;
	if (!i)
		return xasprintf("function 0x%llx", (unsigned long long)function->start);
	plain = rfs_demangle(list[i - 1].name);
	text = xasprintf("near %s+0x%llx", plain ? plain : list[i - 1].name,
			 (unsigned long long)(function->start - list[i - 1].start));
	free(plain);
	return text;
}

static void set_line(struct rfs_source_place *place, const struct rfs_line *line)
{
	place->file = xstrdup(line->file);
	place->line = line->line;
	place->column = line->column;
}

/* Appends the frames of a place, innermost first, at least one. */
static void symbolize_add_frames(struct rfs_symbols *symbols, const struct rfs_place *place, bool returns,
				 struct rfs_source_stack *out)
{
	/* look up the address of the call, because the instruction after it may belong to another line or function */
	rfs_addr vaddr = returns && place->offset ? place->offset - 1 : place->offset;
	const struct rfs_dwarf *dwarf = place->module ? rfs_symbols_dwarf(symbols, place->module) : NULL;
	struct rfs_frame frames[MAX_INLINED];
	struct rfs_line line;
	bool has_line = dwarf && rfs_dwarf_line(dwarf, vaddr, &line);
	size_t n = dwarf ? rfs_dwarf_frames(dwarf, vaddr, frames, MAX_INLINED) : 0;

	for (size_t i = 0; i < n || i == 0; i++) {
		struct rfs_source_place *frame = rfs_source_stack_add(out);

		frame->offset = place->offset;
		frame->described = n > 0;
		if (place->module)
			frame->module = xstrdup(place->module);
		if (has_line)
			set_line(frame, &line);
		if (i < n && frames[i].function)
			frame->function = xstrdup(frames[i].function);
		else if (place->module)
			frame->function = symbol_name(rfs_symbols_elf(symbols, place->module), vaddr);
		if (!frame->function && place->module)
			frame->near = near_name(rfs_symbols_elf(symbols, place->module), vaddr);
		has_line = i < n && frames[i].call.line && frames[i].call.file;
		if (has_line)
			line = frames[i].call;
	}
}

void rfs_symbols_stack(struct rfs_symbols *symbols, const struct rfs_place *stack, size_t n,
		       struct rfs_source_stack *out)
{
	for (size_t i = 0; i < n; i++)
		symbolize_add_frames(symbols, &stack[i], i > 0, out);
}

/* Moves the innermost frame in the user's code to *out; the innermost frame, if no frame is in the user's code. */
static void symbolize_take_own(struct rfs_source_stack *frames, struct rfs_source_place *out)
{
	struct rfs_source_place *own = &frames->frames[rfs_source_stack_first_own(frames)];

	*out = *own;
	*own = (struct rfs_source_place){0};
	rfs_source_stack_release(frames);
}

void rfs_symbols_place(struct rfs_symbols *symbols, const struct rfs_place *place, bool returns,
		       struct rfs_source_place *out)
{
	struct rfs_source_stack frames = {0};

	symbolize_add_frames(symbols, place, returns, &frames);
	symbolize_take_own(&frames, out);
}

void rfs_symbols_caller(struct rfs_symbols *symbols, const struct rfs_place *place, bool returns,
			const struct rfs_place *callers, size_t n, struct rfs_source_place *out)
{
	struct rfs_source_stack frames = {0};

	symbolize_add_frames(symbols, place, returns, &frames);
	/* the callers are looked up one by one, since the first one is enough nearly always */
	for (size_t i = 0; i < n && rfs_source_place_is_foreign(&frames.frames[rfs_source_stack_first_own(&frames)]);
	     i++)
		symbolize_add_frames(symbols, &callers[i], true, &frames);
	symbolize_take_own(&frames, out);
}

char *rfs_symbols_short(const struct rfs_source_place *place)
{
	if (place->file && place->line)
		return xasprintf("%s:%u", rfs_base_name(place->file), place->line);
	if (place->module)
		return xasprintf("%s+0x%llx", rfs_base_name(place->module), (unsigned long long)place->offset);
	return xasprintf("0x%llx", (unsigned long long)place->offset);
}

char *rfs_symbols_text(struct rfs_symbols *symbols, const struct rfs_place *place, bool returns)
{
	struct rfs_source_place found = {0};
	char *text;

	rfs_symbols_place(symbols, place, returns, &found);
	text = rfs_symbols_short(&found);
	rfs_source_place_release(&found);
	return text;
}

/* The name of the data for which the address of this function is used (access/calls/library_data.h). Caller frees. */
static char *library_data_name(const char *function)
{
	while (*function == '_')
		function++;
	if (strcmp(function, "setenv") == 0)
		return xstrdup("the environment");
	if (strcmp(function, "setlocale") == 0)
		return xstrdup("the locale");
	return xasprintf("the data of %s()", function);
}

/*
 * The name of a static object: a variable, a symbol and an offset, or the module and an offset. At the address of a
 * function, it is data of the C library. Caller frees.
 */
static char *static_name(struct rfs_symbols *symbols, const struct rfs_place *place, enum rfs_atomicity *atomicity)
{
	const struct rfs_dwarf *dwarf = rfs_symbols_dwarf(symbols, place->module);
	const struct rfs_elf *elf = rfs_symbols_elf(symbols, place->module);
	const struct rfs_function *function;
	char name[NAME_MAX_BYTES], *plain, *text;
	const char *symbol;
	uint64_t offset;

	if (dwarf && rfs_dwarf_variable(dwarf, place->offset, name, sizeof(name), atomicity)) {
		rfs_cut_library_members(name);
		return xstrdup(name);
	}
	function = elf ? rfs_elf_function_at(elf, place->offset) : NULL;
	if (function && function->start == place->offset)
		return library_data_name(function->name);
	symbol = elf ? rfs_elf_object_at(elf, place->offset, &offset) : NULL;
	if (!symbol)
		return xasprintf("%s+0x%llx", rfs_base_name(place->module), (unsigned long long)place->offset);
	plain = rfs_demangle(symbol);
	text = offset ? xasprintf("%s + %llu", plain ? plain : symbol, (unsigned long long)offset)
		      : xstrdup(plain ? plain : symbol);
	free(plain);
	return text;
}

/* The variable of a function that is still called: "main::total". Caller frees. */
static char *stack_name(struct rfs_symbols *symbols, const struct rfs_object *object, enum rfs_atomicity *atomicity)
{
	const struct rfs_place *place = &object->place;
	const struct rfs_dwarf *dwarf = place->module ? rfs_symbols_dwarf(symbols, place->module) : NULL;
	char name[NAME_MAX_BYTES];

	if (dwarf &&
	    rfs_dwarf_local(dwarf, place->offset, -(int64_t)object->below_cfa, name, sizeof(name), atomicity)) {
		rfs_cut_library_members(name);
		return xstrdup(name);
	}
	return object->thread >= 0 ? xasprintf("stack of thread %d", object->thread) : xstrdup("a stack");
}

static char *memory_name(struct rfs_symbols *symbols, const struct rfs_object *object, enum rfs_atomicity *atomicity)
{
	switch (object->kind) {
	case RFS_MEMORY_STATIC:
		return object->place.module ? static_name(symbols, &object->place, atomicity) : NULL;
	case RFS_MEMORY_HEAP:
		return rfs_symbols_block(symbols, object, RFS_BLOCK_MEMBER);
	case RFS_MEMORY_STACK:
		return stack_name(symbols, object, atomicity);
	case RFS_MEMORY_DESCRIPTOR:
		return object->place.module ? xasprintf("descriptor %llu (%s)", (unsigned long long)object->offset,
							object->place.module)
					    : xasprintf("descriptor %llu", (unsigned long long)object->offset);
	case RFS_MEMORY_KERNEL:
		return object->place.module ? xstrdup(object->place.module) : NULL;
	case RFS_MEMORY_OTHER:
		break;
	}
	return object->address ? xasprintf("0x%llx", (unsigned long long)rfs_memory_address(object->address)) : NULL;
}

/* The function that acquires a word lock here. Atomic operations that are inlined into it do not count. Caller frees.
 */
static char *lock_function(struct rfs_symbols *symbols, const struct rfs_place *place)
{
	struct rfs_source_stack frames = {0};
	char *name = NULL;

	rfs_symbols_stack(symbols, place, 1, &frames);
	for (size_t i = 0; i < frames.n_frames && !name; i++)
		if (frames.frames[i].function && !strstr(frames.frames[i].function, "atomic"))
			name = xstrdup(frames.frames[i].function);
	rfs_source_stack_release(&frames);
	return name;
}

char *rfs_symbols_object(struct rfs_symbols *symbols, const struct rfs_object *object, enum rfs_atomicity *atomicity)
{
	enum rfs_atomicity unused;
	char *name, *function, *both;

	if (!atomicity)
		atomicity = &unused;
	*atomicity = RFS_ATOMICITY_UNKNOWN;
	name = memory_name(symbols, object, atomicity);
	function = object->acquired.module ? lock_function(symbols, &object->acquired) : NULL;
	if (!function)
		return name;
	both = xasprintf("%s (lock of %s)", name ? name : "a word", function);
	free(name);
	free(function);
	return both;
}

char *rfs_symbols_lock(struct rfs_symbols *symbols, const struct rfs_object *lock)
{
	char *name, *longer;

	if (lock->heap && lock->kind == RFS_MEMORY_OTHER && !lock->acquired.module)
		return xasprintf("heap+0x%llx", (unsigned long long)lock->heap);
	name = rfs_symbols_object(symbols, lock, NULL);
	if (!name || !lock->heap)
		return name;
	longer = xasprintf("%s (heap+0x%llx)", name, (unsigned long long)lock->heap);
	free(name);
	return longer;
}
