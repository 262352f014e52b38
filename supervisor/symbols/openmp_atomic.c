/*
 * openmp_atomic.c - whether a plain move is an atomic access of OpenMP.
 *
 * GCC makes a plain move of `omp atomic read` and `omp atomic write`. Only the directive in the source tells, which is
 * on the line of the access or right before it. An update of a floating-point number, and a reduction, becomes a load
 * and a compare-and-exchange loop. There the code itself tells:
 *
 *     mov    (%rcx),%rdx            the load in question
 *   1:  ...                         computes the new value
 *     lock cmpxchg %rdi,(%rcx)      the same operand
 *     jne    1b
 *
 * Only functions that GCC outlined for OpenMP (name._omp_fn.0) are searched for such loops. In other functions the load
 * may be a mistake of the program.
 */
#include "supervisor/symbols/openmp_atomic.h"

#include <stdlib.h>
#include <string.h>

#include "disasm/dwarf/dwarf.h"
#include "disasm/elf/elf.h"
#include "disasm/insn/insn.h"
#include "supervisor/symbols/source.h"
#include "supervisor/symbols/symbolize.h"

#define OUTLINED "._omp_fn."
/* The longest distance between load and exchange, in instructions. */
#define LOOP_MAX 32

/* The text after `word`, if the text begins with it, and blanks after that. Otherwise NULL. */
static const char *after(const char *text, const char *word)
{
	size_t n = strlen(word);

	if (!text || strncmp(text, word, n) != 0)
		return NULL;
	text += n;
	return text + strspn(text, " \t");
}

/* Whether the line is a directive that makes such an access atomic: #pragma omp atomic CLAUSES. */
static bool is_directive(const char *line, bool writes)
{
	const char *clauses = after(line, "#");

	clauses = after(after(after(clauses, "pragma"), "omp"), "atomic");
	if (!clauses)
		return false;
	if (strstr(clauses, "read"))
		return !writes;
	return !strstr(clauses, "write") || writes;
}

static bool openmp_atomic_source_says(const struct rfs_dwarf *dwarf, rfs_addr vaddr, bool writes)
{
	struct rfs_line at = {0};
	bool found = false;

	if (!dwarf || !rfs_dwarf_line(dwarf, vaddr, &at) || !at.file)
		return false;
	for (unsigned line = at.line; !found && line > 0 && line + 1 >= at.line; line--) {
		char *text = rfs_source_line(at.file, line);

		found = text && is_directive(text, writes);
		free(text);
	}
	return found;
}

static bool same_operand(const struct rfs_mem *a, const struct rfs_mem *b)
{
	return a->size == b->size && a->base == b->base && a->index == b->index && a->scale == b->scale &&
	       a->segment == b->segment && a->disp == b->disp && a->rip_relative == b->rip_relative;
}

static bool openmp_atomic_decode(struct rfs_decoder *decoder, const struct rfs_elf *elf, rfs_addr vaddr,
				 struct rfs_insn *out)
{
	uint8_t bytes[RFS_INSN_MAX];
	size_t n = rfs_elf_read(elf, vaddr, bytes, sizeof(bytes));

	return n && rfs_insn_decode(decoder, bytes, n, vaddr, out) == 0;
}

/* Whether the load at vaddr is followed by an atomic instruction with the same operand, before any call. */
static bool feeds_exchange(struct rfs_decoder *decoder, const struct rfs_elf *elf, rfs_addr vaddr)
{
	struct rfs_insn load, insn;

	if (!openmp_atomic_decode(decoder, elf, vaddr, &load) || load.n_mem != 1 || load.mem[0].flags != RFS_MEM_READ)
		return false;
	insn = load;
	for (int i = 0; i < LOOP_MAX; i++) {
		if (insn.flow != RFS_FLOW_NEXT && insn.flow != RFS_FLOW_BRANCH && insn.flow != RFS_FLOW_JUMP)
			return false;
		/* GCC moves the loop out of line if it is unlikely, with a jump to it */
		vaddr = insn.flow == RFS_FLOW_JUMP && insn.target > insn.vaddr ? insn.target : insn.vaddr + insn.length;
		if (!openmp_atomic_decode(decoder, elf, vaddr, &insn))
			return false;
		if (insn.atomic && insn.n_mem && same_operand(&insn.mem[0], &load.mem[0]))
			return true;
	}
	return false;
}

static bool code_says(const struct rfs_elf *elf, rfs_addr vaddr)
{
	const struct rfs_function *function = elf ? rfs_elf_function_at(elf, vaddr) : NULL;
	struct rfs_decoder *decoder;
	bool found;

	if (!function || !function->name || !strstr(function->name, OUTLINED) || rfs_decoder_new(&decoder) != 0)
		return false;
	found = feeds_exchange(decoder, elf, vaddr);
	rfs_decoder_free(decoder);
	return found;
}

bool rfs_symbols_openmp_atomic(struct rfs_symbols *symbols, const char *module, rfs_addr vaddr, bool writes)
{
	return (!writes && code_says(rfs_symbols_elf(symbols, module), vaddr)) ||
	       openmp_atomic_source_says(rfs_symbols_dwarf(symbols, module), vaddr, writes);
}
