/*
 * nature.c - asks the instruction, the debug information, the type of the variable and the source line. Answers that
 * differ leave the access ambiguous.
 */
#include "supervisor/symbols/nature.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "disasm/dwarf/dwarf.h"
#include "disasm/elf/elf.h"
#include "disasm/insn/insn.h"
#include "policy/policy.h"
#include "supervisor/symbols/openmp_atomic.h"
#include "supervisor/symbols/place.h"
#include "supervisor/symbols/source_files.h"
#include "supervisor/symbols/symbolize.h"

#define NAME_MAX_BYTES 512
#define MEMBERS_END 256	   /* atomic members are looked for in this many bytes */
#define FUNCTION_LINES 200 /* the longest function that is searched for atomics */

/* Without debug information, the symbol of the function may still show that the access is atomic. */
static bool is_atomic_symbol(const struct rfs_function *function)
{
	char *name = function && function->name ? rfs_demangle(function->name) : NULL;
	bool atomic = name && rfs_is_atomic_function(name);

	free(name);
	return atomic;
}

/*
 * The operand of an instruction that loads or stores one word; NULL if it does something else. Clang makes
 * `add $1, x` of an atomic load, an addition and an atomic store, so an instruction may do both.
 */
static const struct rfs_mem *nature_word_of(const struct rfs_insn *insn)
{
	const struct rfs_mem *mem = NULL;

	if (insn->shape != RFS_SHAPE_PLAIN)
		return NULL;
	for (unsigned i = 0; i < insn->n_mem; i++) {
		if (insn->mem[i].flags & RFS_MEM_STACK)
			continue;
		if (mem)
			return NULL;
		mem = &insn->mem[i];
	}
	return mem && (mem->size == 1 || mem->size == 2 || mem->size == 4 || mem->size == 8) ? mem : NULL;
}

/* The operand of the instruction at vaddr, as in nature_word_of(). */
static const struct rfs_mem *decode_word(struct rfs_symbols *symbols, const char *module, rfs_addr vaddr,
					 struct rfs_insn *insn)
{
	const struct rfs_elf *elf = rfs_symbols_elf(symbols, module);
	struct rfs_decoder *decoder = rfs_symbols_decoder(symbols);
	uint8_t bytes[RFS_INSN_MAX];
	size_t n;

	if (!elf || !decoder)
		return NULL;
	n = rfs_elf_read(elf, vaddr, bytes, sizeof(bytes));
	return rfs_insn_decode(decoder, bytes, n, vaddr, insn) == 0 ? nature_word_of(insn) : NULL;
}

/* Whether the source accesses an atomic member at the move. */
struct member {
	const char *line;
	unsigned column;
	bool surely; /* only if the column says so */
};

static bool line_has(void *arg, const char *name)
{
	const struct member *member = arg;
	bool inside;

	return *name && rfs_text_has_member(member->line, member->column, name, &inside) && (inside || !member->surely);
}

/*
 * Many structures may have a plain member with the name of the only member of an atomic type, such as "counter". So if
 * the line has no index, the pointer must point to an object of such a type, and not to one before it.
 *
 * Unoptimised code adds the member's offset to the pointer before it loads. Then only the column tells which member it
 * is, and every atomic member of the size is tried.
 */
static bool is_atomic_member(const struct rfs_dwarf *dwarf, rfs_addr vaddr, const struct rfs_mem *mem,
			     struct member *member)
{
	const bool single = mem->index < 0 && !strchr(member->line, '[');

	if (rfs_dwarf_atomic_member(dwarf, vaddr, (uint64_t)mem->disp, mem->size, single, line_has, member))
		return true;
	member->surely = true;
	for (uint64_t at = 0; mem->disp == 0 && mem->index < 0 && at < MEMBERS_END; at += mem->size)
		if (rfs_dwarf_atomic_member(dwarf, vaddr, at, mem->size, true, line_has, member))
			return true;
	return false;
}

/*
 * Compilers make an xchg of a seq_cst store. The innermost frame in the library of atomics tells it from an exchange;
 * in C, the source line does.
 */
static bool is_store(struct rfs_symbols *symbols, const struct rfs_dwarf *dwarf, rfs_addr vaddr,
		     const struct rfs_insn *insn)
{
	static const char *const names[] = {"::store(", "::operator=(", "::clear("};
	struct rfs_source_files *sources = rfs_symbols_sources(symbols);
	struct rfs_frame frame;
	struct rfs_line at;
	const char *line;

	if (insn->prefixes & RFS_PREFIX_LOCK) /* it is no xchg */
		return false;
	if (rfs_dwarf_in_atomic(dwarf, vaddr)) {
		for (size_t i = 0; rfs_dwarf_frames(dwarf, vaddr, &frame, 1) && i < sizeof(names) / sizeof(*names); i++)
			if (strstr(frame.function, names[i]))
				return true;
		return false;
	}
	if (!rfs_dwarf_line(dwarf, vaddr, &at))
		return false;
	rfs_source_files_read(sources, dwarf, at.file);
	line = rfs_source_files_line(sources, at.file, at.line);
	return line && rfs_text_stores(line);
}

/* Whether the file is assembly, which does not tell what it means. */
static bool nature_is_assembly(const char *file)
{
	const char *dot = strrchr(file, '.');

	return dot && (strcmp(dot, ".s") == 0 || strcmp(dot, ".S") == 0 || strcmp(dot, ".asm") == 0);
}

/*
 * GCC loses the place of some atomics at -O2. They then seem to be at the name of the function. Any line of the
 * function may be theirs, so they are known to be plain only if no line has an atomic.
 */
static bool is_lost(const struct rfs_function *function, const struct rfs_move_text *text)
{
	const char *at = text->line + text->column - 1;
	size_t n = 0;

	if (!function || !function->name || !text->column || text->column > strlen(text->line))
		return false;
	while (isalnum((unsigned char)at[n]) || at[n] == '_')
		n++;
	return n && at[n + strspn(at + n, " \t")] == '(' && memmem(function->name, strlen(function->name), at, n);
}

static enum rfs_move_says function_says(const struct rfs_source_files *sources, const struct rfs_line *at,
					struct rfs_move_text *text)
{
	text->column = 0;
	for (unsigned i = 0; text->line && i < FUNCTION_LINES && (i == 0 || *text->line != '}'); i++) {
		if (rfs_move_text_says(text) != RFS_MOVE_PLAIN)
			return i ? RFS_MOVE_MEANT : rfs_move_text_says(text);
		text->line = rfs_source_files_line(sources, at->file, at->line + i + 1);
	}
	return RFS_MOVE_PLAIN;
}

static enum rfs_move_says nature_source_says(struct rfs_symbols *symbols, const char *module, rfs_addr vaddr,
					     const struct rfs_mem *mem)
{
	const struct rfs_dwarf *dwarf = rfs_symbols_dwarf(symbols, module);
	struct rfs_source_files *sources = rfs_symbols_sources(symbols);
	enum rfs_atomicity atomicity = RFS_ATOMICITY_UNKNOWN;
	char variable[NAME_MAX_BYTES];
	struct rfs_line at = {0};
	struct rfs_move_text text = {
		.writes = mem->flags & RFS_MEM_WRITE, .macro = rfs_source_files_macro, .arg = sources};

	if (mem->rip_relative &&
	    rfs_dwarf_variable(dwarf, (rfs_addr)mem->disp, variable, sizeof(variable), &atomicity)) {
		if (atomicity == RFS_ATOMICITY_ATOMIC)
			return RFS_MOVE_ATOMIC;
		text.variable = variable;
	}
	if (!rfs_dwarf_line(dwarf, vaddr, &at))
		return RFS_MOVE_UNKNOWN;
	rfs_source_files_read(sources, dwarf, at.file);
	text.line = rfs_source_files_line(sources, at.file, at.line);
	if (!text.line || nature_is_assembly(at.file))
		return RFS_MOVE_UNKNOWN;
	text.column = at.column;
	if (!mem->rip_relative &&
	    is_atomic_member(dwarf, vaddr, mem, &(struct member){.line = text.line, .column = at.column}))
		return RFS_MOVE_ATOMIC;
	if (is_lost(rfs_elf_function_at(rfs_symbols_elf(symbols, module), vaddr), &text))
		return function_says(sources, &at, &text);
	return rfs_move_text_says(&text);
}

bool rfs_symbols_may_move(struct rfs_symbols *symbols, const char *module, const struct rfs_function *function)
{
	return rfs_symbols_dwarf(symbols, module) || is_atomic_symbol(function);
}

enum rfs_move_says rfs_symbols_move(struct rfs_symbols *symbols, const char *module, rfs_addr vaddr)
{
	const struct rfs_elf *elf = rfs_symbols_elf(symbols, module);
	const struct rfs_dwarf *dwarf = rfs_symbols_dwarf(symbols, module);
	struct rfs_insn insn;
	const struct rfs_mem *mem = decode_word(symbols, module, vaddr, &insn);

	/* what is relative to the stack pointer is a local variable, not the atomic object */
	if (!mem || mem->base == RFS_RSP)
		return RFS_MOVE_UNKNOWN;
	if (!dwarf)
		return !insn.atomic && is_atomic_symbol(rfs_elf_function_at(elf, vaddr)) ? RFS_MOVE_ATOMIC
											 : RFS_MOVE_UNKNOWN;
	if (insn.atomic)
		return is_store(symbols, dwarf, vaddr, &insn) ? RFS_MOVE_ATOMIC : RFS_MOVE_UNKNOWN;
	return rfs_dwarf_in_atomic(dwarf, vaddr) ? RFS_MOVE_ATOMIC : nature_source_says(symbols, module, vaddr, mem);
}

static bool is_nameless(void *arg, const char *name)
{
	(void)arg;
	return !*name;
}

/*
 * Whether an access may be a load of an object of type _Atomic, which is an ordinary move and needs no function. A
 * store of such an object is an xchg, so a move that stores is none. Members are recognised by name
 * (is_atomic_member()).
 */
static bool may_load_atomic(struct rfs_symbols *symbols, const struct rfs_dwarf *dwarf,
			    const struct rfs_evidence *evidence)
{
	const struct rfs_place *site = &evidence->site;
	struct rfs_insn insn;
	const struct rfs_mem *mem;

	if (evidence->access & RFS_ACCESS_WRITE)
		return false;
	switch (rfs_dwarf_tells_atomics(dwarf, site->offset)) {
	case RFS_DWARF_TELLS_BY_FRAME:
		return false;
	case RFS_DWARF_TELLS_BY_TYPE:
		mem = decode_word(symbols, site->module, site->offset, &insn);
		return mem && rfs_dwarf_atomic_member(dwarf, site->offset, (uint64_t)mem->disp, mem->size, false,
						      is_nameless, NULL);
	case RFS_DWARF_TELLS_NOT:
		break;
	}
	return true;
}

/* Whether this is a store to a lock of the program that the thread holds: it releases the lock. */
static bool is_release(const struct rfs_evidence *evidence)
{
	if (!(evidence->access & RFS_ACCESS_WRITE) || (evidence->access & (RFS_ACCESS_FREE | RFS_ACCESS_RANGE)))
		return false;
	for (size_t i = 0; i < evidence->n_locks; i++)
		if (evidence->locks[i].acquired.module && evidence->locks[i].address == evidence->object.address)
			return true;
	return false;
}

enum rfs_access_nature rfs_symbols_nature(struct rfs_symbols *symbols, const struct rfs_evidence *evidence)
{
	const struct rfs_object *object = &evidence->object;
	const struct rfs_place *site = &evidence->site;
	enum rfs_atomicity atomicity = RFS_ATOMICITY_UNKNOWN;
	const struct rfs_dwarf *dwarf;
	enum rfs_move_says says;
	struct rfs_line line;

	/* no instruction is at the place of a system call */
	if (evidence->access & RFS_ACCESS_CALL)
		return RFS_NATURE_PLAIN;
	if ((evidence->access & RFS_ACCESS_ATOMIC) || is_release(evidence))
		return RFS_NATURE_ATOMIC;
	dwarf = site->module ? rfs_symbols_dwarf(symbols, site->module) : NULL;
	if (dwarf && rfs_dwarf_in_atomic(dwarf, site->offset))
		return RFS_NATURE_ATOMIC;
	if (site->module && (evidence->access & RFS_ACCESS_ALIGNED_MOVE) &&
	    rfs_symbols_openmp_atomic(symbols, site->module, site->offset, evidence->access & RFS_ACCESS_WRITE))
		return RFS_NATURE_ATOMIC;
	says = site->module ? rfs_symbols_move(symbols, site->module, site->offset) : RFS_MOVE_UNKNOWN;
	if (says == RFS_MOVE_ATOMIC)
		return RFS_NATURE_ATOMIC;
	/*
	 * Without evidence, an increment without lock prefix, a memcpy, or an access of one byte of a larger object is
	 * plain. Compilers seldom make such instructions of atomics.
	 */
	if (!(evidence->access & RFS_ACCESS_ALIGNED_MOVE))
		return RFS_NATURE_PLAIN;
	free(rfs_symbols_object(symbols, object, &atomicity));
	if (atomicity == RFS_ATOMICITY_ATOMIC)
		return RFS_NATURE_ATOMIC;
	if (!dwarf || !rfs_dwarf_line(dwarf, site->offset, &line))
		return RFS_NATURE_AMBIGUOUS;
	switch (says) {
	case RFS_MOVE_MEANT:
		return RFS_NATURE_AMBIGUOUS;
	case RFS_MOVE_PLAIN:
		return atomicity != RFS_ATOMICITY_PLAIN && may_load_atomic(symbols, dwarf, evidence)
			       ? RFS_NATURE_AMBIGUOUS
			       : RFS_NATURE_PLAIN;
	case RFS_MOVE_UNKNOWN:
	case RFS_MOVE_ATOMIC:
		break;
	}
	/* without its source, a builtin of the compiler may access a plain variable atomically */
	return RFS_NATURE_MAYBE;
}
