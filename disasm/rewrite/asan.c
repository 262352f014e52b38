/*
 * asan.c - finds the check of an access, and the functions of a sanitizer's runtime.
 *
 * Compilers put this before an access to (%rax) of four bytes (AddressSanitizerAlgorithm, "Instrumentation"):
 *
 *     mov %rax,%rdx;  shr $3,%rdx;  movzbl 0x7fff8000(%rdx),%ecx          <- the check
 *     test %cl,%cl;   je ok;  ...compares the last byte...;  jl ok;  call __asan_report_load4
 *     ok: mov (%rax),%eax                                                <- the access
 *
 * Without optimisation, GCC adds the offset first: add $0x7fff8000,%rdx; movzbl (%rdx),%ecx.
 */
#include "disasm/rewrite/asan.h"

#include <stdlib.h>
#include <string.h>

#include "disasm/insn/insn.h"

/* A check is so near its access, in instructions on all paths, and in checks of other accesses between the two. */
#define PATH_MAX_INSNS 64
#define CHECKS_MAX 6

static bool starts(const char *name, const char *const *prefixes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
			return true;
	return false;
}

bool rfs_sanitizer_runtime_in(const struct rfs_elf *elf)
{
	static const char *const inits[] = {"__asan_init", "__lsan_init", "__msan_init", "__tsan_init"};

	for (size_t i = 0; i < sizeof(inits) / sizeof(*inits); i++)
		if (rfs_elf_symbol(elf, inits[i], NULL, NULL))
			return true;
	return false;
}

static bool is_runtime_name(const char *name)
{
	static const char *const prefixes[] = {"__asan_",	 "__lsan_",	    "__msan_",
					       "__tsan_",	 "__ubsan_",	    "__sanitizer_",
					       "__interceptor_", "___interceptor_", "__interception_"};
	static const char *const spaces[] = {"6__asan",	 "6__lsan",	  "6__msan",	     "6__tsan",
					     "7__ubsan", "11__sanitizer", "14__interception"};

	if (starts(name, prefixes, sizeof(prefixes) / sizeof(*prefixes)))
		return true;
	if (strncmp(name, "_Z", 2) != 0)
		return false;
	/* nested names: N for members, Z for what is local to a function, K for constant members */
	name += 2 + strspn(name + 2, "NZKTSVLG");
	return starts(name, spaces, sizeof(spaces) / sizeof(*spaces));
}

bool rfs_sanitizer_runtime_at(const struct rfs_elf *elf, rfs_addr vaddr)
{
	const struct rfs_function *f = rfs_elf_function_at(elf, vaddr);

	return f && rfs_elf_entry_match(elf, f->start, is_runtime_name);
}

static int asan_decode(const struct rfs_elf *elf, struct rfs_decoder *decoder, rfs_addr vaddr, struct rfs_insn *out)
{
	uint8_t bytes[RFS_INSN_MAX];

	return rfs_insn_decode(decoder, bytes, rfs_elf_read(elf, vaddr, bytes, sizeof(bytes)), vaddr, out);
}

static bool reads_shadow(const struct rfs_insn *insn)
{
	for (unsigned i = 0; i < insn->n_mem; i++)
		if ((insn->mem[i].flags & RFS_MEM_READ) && insn->mem[i].base >= 0 && !insn->mem[i].segment &&
		    insn->mem[i].disp == (int64_t)RFS_ASAN_SHADOW)
			return true;
	return false;
}

/* Whether the instruction adds the shadow memory's offset to a register: its immediate operand, at the end. */
static bool adds_offset(const struct rfs_insn *insn)
{
	const uint32_t offset = RFS_ASAN_SHADOW;

	return insn->flow == RFS_FLOW_NEXT && !insn->n_mem && insn->length > sizeof(offset) &&
	       memcmp(insn->bytes + insn->length - sizeof(offset), &offset, sizeof(offset)) == 0;
}

static bool reads_at_register(const struct rfs_insn *insn)
{
	return insn->n_mem == 1 && (insn->mem[0].flags & RFS_MEM_READ) && insn->mem[0].base >= 0 &&
	       insn->mem[0].index < 0 && insn->mem[0].disp == 0;
}

/* Whether the instruction accesses memory that is neither the shadow memory nor the function's frame. */
static bool accesses_other(const struct rfs_insn *insn)
{
	for (unsigned i = 0; i < insn->n_mem; i++) {
		const struct rfs_mem *mem = &insn->mem[i];

		if (mem->flags & (RFS_MEM_READ | RFS_MEM_WRITE) && !(mem->flags & RFS_MEM_STACK) &&
		    mem->base != RFS_RSP && mem->base != RFS_RBP)
			return !reads_shadow(insn);
	}
	return false;
}

static bool is_report(const struct rfs_elf *elf, rfs_addr callee)
{
	const char *name = rfs_elf_plt_name(elf, callee);

	if (!name)
		name = rfs_elf_entry_name(elf, callee);
	return name && strncmp(name, "__asan_report", 13) == 0;
}

/* Whether all paths from `check` lead to `access` or to a report, and one leads to `access`. */
static bool leads_to(const struct rfs_elf *elf, struct rfs_decoder *decoder, rfs_addr check, rfs_addr access)
{
	rfs_addr seen[PATH_MAX_INSNS], pending[PATH_MAX_INSNS];
	size_t n_seen = 0, n = 0;
	bool reached = false;
	struct rfs_insn insn;

	pending[n++] = check;
	while (n > 0) {
		rfs_addr at = pending[--n];
		size_t i = 0;

		while (i < n_seen && seen[i] != at)
			i++;
		if (at == access)
			reached = true;
		if (at == access || i < n_seen)
			continue;
		if (n_seen == PATH_MAX_INSNS || n + 2 > PATH_MAX_INSNS || asan_decode(elf, decoder, at, &insn))
			return false;
		seen[n_seen++] = at;
		if (insn.flow == RFS_FLOW_TRAP || (insn.flow == RFS_FLOW_CALL && is_report(elf, insn.target)))
			continue;
		if (insn.flow != RFS_FLOW_NEXT && insn.flow != RFS_FLOW_JUMP && insn.flow != RFS_FLOW_BRANCH)
			return false;
		if (at != check && accesses_other(&insn))
			return false;
		if (insn.flow != RFS_FLOW_NEXT)
			pending[n++] = insn.target;
		if (insn.flow != RFS_FLOW_JUMP)
			pending[n++] = at + insn.length;
	}
	return reached;
}

rfs_addr rfs_asan_check_of(const struct rfs_elf *elf, struct rfs_decoder *decoder, rfs_addr vaddr)
{
	const struct rfs_function *f = rfs_elf_function_at(elf, vaddr);
	rfs_addr checks[CHECKS_MAX], at;
	bool offset = false; /* the instruction before this one added it */
	struct rfs_insn insn;
	size_t n = 0;

	if (!f)
		return 0;
	for (at = f->start; at < vaddr && !asan_decode(elf, decoder, at, &insn); at += insn.length) {
		if (reads_shadow(&insn) || (offset && reads_at_register(&insn)))
			checks[n++ % CHECKS_MAX] = at;
		offset = adds_offset(&insn);
	}
	for (size_t i = 0; i < n && i < CHECKS_MAX; i++) {
		rfs_addr check = checks[(n - 1 - i) % CHECKS_MAX];

		if (leads_to(elf, decoder, check, vaddr))
			return check;
	}
	return 0;
}
