/*
 * code_rare.c - finds instructions that few modules have, but that matter in every module: rdtsc, wrgsbase and cpuid.
 *
 * Sweeping a whole large library for them would take longer than most runs do. Therefore their bytes are searched
 * first, and only functions with such bytes are decoded.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "disasm/elf/elf.h"
#include "disasm/rewrite/code-priv.h"

/* Segments are read in pieces of this size. */
#define PIECE (256u << 10)

struct scan {
	const struct rfs_elf *elf;
	struct rfs_decoder *decoder;
	struct rfs_code *code;
	const struct rfs_function *done; /* the function that was swept last */
};

/* Whether insn is f3 0f ae /3 with a register. */
static bool is_wrgsbase(const struct rfs_insn *insn)
{
	const uint8_t *opcode = insn->bytes + insn->opcode_at;

	return insn->opcode_at && opcode[0] == 0x0f && opcode[1] == 0xae && (opcode[2] & 0xf8) == 0xd8;
}

static bool code_rare_is_cpuid(const struct rfs_insn *insn)
{
	const uint8_t *opcode = insn->bytes + insn->opcode_at;

	return opcode[0] == 0x0f && opcode[1] == 0xa2;
}

/* Whether the instruction is searched for; *kind: what it is. */
static bool is_rare(const struct rfs_insn *insn, uint8_t *kind)
{
	if (insn->rdtsc)
		*kind = RFS_CODE_RDTSC;
	else if (is_wrgsbase(insn))
		*kind = RFS_CODE_WRGSBASE;
	else if (code_rare_is_cpuid(insn))
		*kind = RFS_CODE_CPUID;
	else
		return false;
	return true;
}

/* Decodes a function and adds its sites. Returns 0; -ENOTSUP if the function does not decode; or -ENOMEM. */
static int sweep(struct scan *scan, const struct rfs_function *f)
{
	size_t size = f->end - f->start, done = 0, before = scan->code->n;
	uint8_t *bytes = malloc(size);
	struct rfs_code_site site = {0};
	struct rfs_insn insn;
	int result = bytes ? 0 : -ENOMEM;

	if (bytes && rfs_elf_read(scan->elf, f->start, bytes, size) != size)
		result = -ENOTSUP;
	while (done < size && !result) {
		if (rfs_insn_decode(scan->decoder, bytes + done, size - done, f->start + done, &insn)) {
			result = -ENOTSUP;
		} else if (is_rare(&insn, &site.kind)) {
			site.vaddr = insn.vaddr;
			site.length = insn.length;
			result = rfs_code_add_site(scan->code, &site);
		}
		done += insn.length;
	}
	free(bytes);
	if (result)
		scan->code->n = before;
	else
		scan->done = f;
	return result;
}

/* Sweeps the function at vaddr, where bytes of such an instruction were found. Returns 0; -ENOTSUP if the instructions
 * there are unknown; or -ENOMEM. */
static int code_rare_look_at(struct scan *scan, rfs_addr vaddr)
{
	const struct rfs_function *f = rfs_elf_function_at(scan->elf, vaddr);

	if (!f || !rfs_elf_is_bounded(scan->elf, f))
		return -ENOTSUP;
	return f == scan->done ? 0 : sweep(scan, f);
}

/* The same for bytes of cpuid. If the instructions there are unknown, a site without length says so. */
static int look_at_cpuid(struct scan *scan, rfs_addr vaddr)
{
	const struct rfs_code_site hidden = {.vaddr = vaddr, .kind = RFS_CODE_CPUID};
	int result = code_rare_look_at(scan, vaddr);

	return result == -ENOTSUP ? rfs_code_add_site(scan->code, &hidden) : result;
}

static int scan_piece(struct scan *scan, rfs_addr vaddr, const uint8_t *bytes, size_t n)
{
	const uint8_t *at = bytes, *end = bytes + n;
	int result = 0;

	while (!result && (at = memchr(at, 0x0f, (size_t)(end - at))) != NULL) {
		if ((end - at > 1 && at[1] == 0x31) ||
		    (end - at > 2 && ((at[1] == 0x01 && at[2] == 0xf9) || (at[1] == 0xae && (at[2] & 0xf8) == 0xd8))))
			result = code_rare_look_at(scan, vaddr + (rfs_addr)(at - bytes));
		else if (end - at > 1 && at[1] == 0xa2)
			result = look_at_cpuid(scan, vaddr + (rfs_addr)(at - bytes));
		at++;
	}
	return result;
}

static int scan_segment(struct scan *scan, const struct rfs_segment *segment, uint8_t *piece)
{
	int result = 0;

	for (uint64_t at = 0; at < segment->filesz && !result; at += PIECE) {
		/* two bytes more, because an instruction may cross the end of the piece in which it begins */
		size_t n = rfs_elf_read(scan->elf, segment->vaddr + at, piece, PIECE + 2);

		result = scan_piece(scan, segment->vaddr + at, piece, n);
	}
	return result;
}

int rfs_code_scan_rare(const struct rfs_elf *elf, struct rfs_decoder *decoder, struct rfs_code **out)
{
	struct scan scan = {.elf = elf, .decoder = decoder, .code = calloc(1, sizeof(*scan.code))};
	uint8_t *piece = malloc(PIECE + 2);
	const struct rfs_segment *segments;
	size_t n = rfs_elf_segments(elf, &segments);
	int result = scan.code && piece ? 0 : -ENOMEM;

	for (size_t i = 0; i < n && !result; i++)
		if (segments[i].exec)
			result = scan_segment(&scan, &segments[i], piece);
	free(piece);
	if (result) {
		if (scan.code)
			rfs_code_free(scan.code);
		return result;
	}
	rfs_code_settle(scan.code);
	*out = scan.code;
	return 0;
}
