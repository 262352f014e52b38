/*
 * code.h - the statements of a module: every instruction that may touch shared memory, found without running it.
 *
 * Functions are swept linearly (compilers keep jump tables out of the text; a byte that does not decode ends the
 * function's sweep with a warning count). An access relative to the stack or frame pointer is left out if no address of
 * the frame escapes from the function (lea of a frame address, or the stack pointer copied anywhere but into a frame
 * pointer); so is what addresses fs: with a constant (the thread's own storage).
 */
#ifndef RFS_CODE_H
#define RFS_CODE_H

#include <stdbool.h>
#include <stddef.h>

#include "disasm/elf/elf.h"
#include "disasm/insn/insn.h"

enum rfs_code_kind {
	RFS_CODE_ACCESS, /* reads or writes memory that may be shared */
	RFS_CODE_CALL,	 /* calls, or jumps at its end to, a function known by name (PLT, GOT slot, or direct) */
	RFS_CODE_PAUSE,
	RFS_CODE_RDTSC,
	RFS_CODE_WRGSBASE, /* rfs_code_scan_rare() */
	RFS_CODE_ENTRY,	   /* the first instruction of a function: rfs_code_scan_entries() */
	RFS_CODE_EXIT,	   /* a return of a function */
};

struct rfs_code_site {
	rfs_addr vaddr;
	uint8_t length;
	uint8_t kind;	    /* enum rfs_code_kind */
	bool atomic;	    /* ACCESS: lock prefix or xchg with memory */
	bool tail;	    /* CALL: a jump, not a call; EXIT: a jump to the entry's tail */
	const char *callee; /* CALL: symbol name without version; ENTRY, EXIT: the function; borrowed */
};

struct rfs_code;

/*
 * Sweeps the whole module once. wanted says which callees matter (rfs_code_kind CALL sites are kept for these only;
 * NULL: none). 0 and *out (free with rfs_code_free; borrows elf), or -errno.
 */
int rfs_code_scan(const struct rfs_elf *elf, struct rfs_decoder *decoder, bool (*wanted)(const char *callee),
		  struct rfs_code **out) __attribute__((warn_unused_result));

/* A function by its exported name. */
struct rfs_code_entry {
	const char *name;
	bool exits;	  /* its returns are sites too */
	const char *tail; /* an imported (or IFUNC) function that it may end in; NULL: none */
};
/*
 * Sweeps these functions alone: their sites are ENTRY and, if requested, EXIT; their targets are what they jump to. A
 * function is left out if its end is unknown or it does not decode. If exits matter, it is also left out if it begins
 * with a return or can leave in another way: by a jump out of it, except to its tail or to one of the others that are
 * not left out. If a function has several names, the first counts. 0 and *out (free with rfs_code_free; borrows elf and
 * the names), or -errno.
 */
int rfs_code_scan_entries(const struct rfs_elf *elf, struct rfs_decoder *decoder, const struct rfs_code_entry *entries,
			  size_t n, struct rfs_code **out) __attribute__((warn_unused_result));
/*
 * Finds the instructions that read the time stamp counter, and those that write gs: its sites are RDTSC and WRGSBASE,
 * and it contains nothing else. 0 and *out (free with rfs_code_free); -ENOTSUP: their bytes are at a place where the
 * instructions are unknown; -ENOMEM.
 */
int rfs_code_scan_rare(const struct rfs_elf *elf, struct rfs_decoder *decoder, struct rfs_code **out)
	__attribute__((warn_unused_result));
void rfs_code_free(struct rfs_code *code);

/* Ascending by vaddr. Borrowed. Returns how many. */
size_t rfs_code_sites(const struct rfs_code *code, const struct rfs_code_site **out);
/* The targets of direct jumps, branches and calls of the module, ascending, without duplicates. Borrowed. Returns how
 * many. */
size_t rfs_code_targets(const struct rfs_code *code, const rfs_addr **out);
/* The number of functions with bytes that cannot be decoded. */
size_t rfs_code_unknown(const struct rfs_code *code);

#endif
