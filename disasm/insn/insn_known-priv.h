/*
 * insn_known-priv.h - what Capstone says of instructions in legacy encodings.
 *
 * Capstone needs microseconds for an instruction, and a program has hundreds of thousands of them, but only some ten
 * thousand forms. A form is all bytes but those of displacement and immediate: prefixes, opcode, ModRM and SIB. They
 * determine all that is asked of Capstone here, so an answer is kept and serves for each instruction of that form.
 */
#ifndef RFS_INSN_KNOWN_PRIV_H
#define RFS_INSN_KNOWN_PRIV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "disasm/insn/insn.h"

struct rfs_known {
	uint8_t length;
	bool has_mem; /* it has an operand in memory; the next two are of this operand */
	uint8_t mem_size, mem_flags;
	bool lea, pause, rdtsc;
	bool transaction; /* xbegin or xabort */
	/* as in struct rfs_insn_detail, except that calls, returns and system calls do not count in `result` */
	uint8_t form, result;
	uint8_t registers;
	int8_t destination, source;
};

struct rfs_knowns;
/* Returns 0, -ENOMEM or -ENOSYS. */
int rfs_knowns_new(struct rfs_knowns **out) __attribute__((warn_unused_result));
void rfs_knowns_free(struct rfs_knowns *knowns);

/*
 * insn has its bytes (n of them), and its prefixes were read. NULL: Capstone does not know this instruction. Borrowed
 * until the next call.
 */
const struct rfs_known *rfs_known_find(struct rfs_knowns *knowns, const struct rfs_insn *insn, size_t n);

#endif
