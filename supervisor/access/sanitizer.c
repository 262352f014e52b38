/* sanitizer.c - programs that were built with a sanitizer: which memory is the sanitizer's own. */
#include "supervisor/access/sanitizer.h"

#include <string.h>

#include "disasm/elf/elf.h"
#include "disasm/insn/insn.h"
#include "disasm/rewrite/asan.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/target_memory.h"
#include "tracer/module.h"

/* Bytes of shadow memory that are read at once. */
#define SHADOW_CHUNK 64

struct range {
	rfs_addr start, end;
};

/* MemorySanitizer on Linux x86-64: shadow and origins, between the areas that a program uses (msan.h of LLVM). */
static const struct range msan[] = {{0x010000000000, 0x510000000000}, {0x600000000000, 0x620000000000}};

/* Whether the module contains AddressSanitizer, or is linked with it. The program is mapped before its libraries. */
static bool has_asan(const struct rfs_elf *elf)
{
	char *const *needed;
	size_t n = rfs_elf_needed(elf, &needed);

	for (size_t i = 0; i < n; i++)
		if (strstr(needed[i], "libasan.") || strstr(needed[i], "libclang_rt.asan"))
			return true;
	return rfs_elf_symbol(elf, "__asan_init", NULL, NULL);
}

void rfs_sanitizer_add_module(struct rfs_run *run, const struct rfs_module *module)
{
	if (has_asan(module->elf))
		run->asan = true;
	if (rfs_elf_symbol(module->elf, "__msan_init", NULL, NULL))
		run->msan = true;
	if (run->asan || run->msan || rfs_elf_symbol(module->elf, "__sanitizer_print_stack_trace", NULL, NULL))
		run->explains = true;
}

bool rfs_sanitizer_shadow(const struct rfs_run *run, rfs_addr address)
{
	if (run->asan && address >= RFS_ASAN_SHADOW && address < RFS_ASAN_SHADOW_END)
		return true;
	for (size_t i = 0; run->msan && i < sizeof(msan) / sizeof(*msan); i++)
		if (address >= msan[i].start && address < msan[i].end)
			return true;
	return false;
}

/*
 * A shadow byte is 0 if all eight bytes may be accessed, and 1 to 7 if only this many may. Others are negative. The
 * block ends there, because a redzone follows each one.
 */
uint64_t rfs_sanitizer_block_size(const struct rfs_run *run, rfs_addr block)
{
	rfs_addr from = (block >> RFS_ASAN_SCALE) + RFS_ASAN_SHADOW;
	int8_t shadow[SHADOW_CHUNK];
	uint64_t size = 0;

	for (;; from += sizeof(shadow)) {
		if (!rfs_peek(run, from, shadow, sizeof(shadow)))
			return size ? size : 1;
		for (size_t i = 0; i < sizeof(shadow); i++) {
			if (shadow[i] == 0) {
				size += 1u << RFS_ASAN_SCALE;
				continue;
			}
			size += shadow[i] > 0 ? (uint64_t)shadow[i] : 0;
			return size ? size : 1;
		}
	}
}

/* The general register with this number. */
static unsigned long long *register_of(struct user_regs_struct *regs, int number)
{
	unsigned long long *const all[] = {&regs->rax, &regs->rcx, &regs->rdx, &regs->rbx, &regs->rsp, &regs->rbp,
					   &regs->rsi, &regs->rdi, &regs->r8,  &regs->r9,  &regs->r10, &regs->r11,
					   &regs->r12, &regs->r13, &regs->r14, &regs->r15};

	return number >= 0 && number < 16 ? all[number] : NULL;
}

#define REX_W 8u
#define REX_R 4u
#define OPCODE_LOAD 0x8b

/* The register that `mov FRAME,REGISTER` of 8 bytes loads; -1: it is another instruction. */
static int loads_from_frame(const struct rfs_insn *insn)
{
	if (insn->bytes[insn->opcode_at] != OPCODE_LOAD || !(insn->rex & REX_W) || insn->n_mem != 1 ||
	    (insn->mem[0].base != RFS_RBP && insn->mem[0].base != RFS_RSP) || insn->mem[0].index >= 0)
		return -1;
	return (insn->bytes[insn->opcode_at + 1] >> 3 & 7) | (insn->rex & REX_R ? 8 : 0);
}

void rfs_sanitizer_reload(struct rfs_run *run, const struct rfs_insn *access, struct user_regs_struct *regs)
{
	/* the lengths of such a load: rbp or rsp, with a displacement of one or four bytes */
	static const unsigned lengths[] = {4, 5, 7, 8};
	unsigned long long *to = register_of(regs, access->n_mem ? access->mem[0].base : -1);
	unsigned char bytes[RFS_INSN_MAX];
	struct rfs_insn insn;
	uint64_t value;

	for (size_t i = 0; to && i < sizeof(lengths) / sizeof(*lengths); i++) {
		rfs_addr at = access->vaddr - lengths[i];

		if (!rfs_peek(run, at, bytes, lengths[i]) ||
		    rfs_insn_decode(run->decoder, bytes, lengths[i], at, &insn) || insn.length != lengths[i] ||
		    loads_from_frame(&insn) != access->mem[0].base ||
		    !rfs_peek(run, rfs_mem_address(&insn.mem[0], 0, regs), &value, sizeof(value)))
			continue;
		*to = value;
		return;
	}
}

bool rfs_sanitizer_owns(const struct rfs_module *module, uint64_t vaddr)
{
	return rfs_sanitizer_runtime_at(module->elf, vaddr);
}
