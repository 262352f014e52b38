/*
 * code.h - the sites of a module: every instruction that may access shared memory, found without running the module.
 *
 * Functions are swept linearly, because compilers keep jump tables out of the text. A byte that does not decode ends
 * the sweep of its function, and rfs_code_unknown() counts such functions.
 *
 * Two kinds of accesses are left out:
 *
 *   - relative to the stack or frame pointer, if no address of the frame escapes from the function. An address escapes
 *     by lea, or if the stack pointer is copied to another register than the frame pointer;
 *   - at a constant offset of fs:, because that is the thread's own storage. If the module reads the base of fs, which
 *     is needed to take the address of a thread-local variable, they are not left out.
 */
#ifndef RFS_CODE_H
#define RFS_CODE_H

#include <stdbool.h>
#include <stddef.h>

#include "disasm/elf/elf.h"
#include "disasm/insn/insn.h"

enum rfs_code_kind {
	RFS_CODE_ACCESS, /* reads or writes memory that may be shared */
	RFS_CODE_CALL, /* calls a function known by name (directly, or by PLT or GOT slot), or ends with a jump to it */
	RFS_CODE_PAUSE,
	RFS_CODE_RDTSC,
	RFS_CODE_WRGSBASE, /* writes the base of gs; only from rfs_code_scan_rare() */
	RFS_CODE_CPUID,	   /* cpuid; only from rfs_code_scan_rare(). length 0: there may be others, at unknown places */
	RFS_CODE_ENTRY,	   /* the first instruction of a function; only from rfs_code_scan_entries() */
	RFS_CODE_EXIT,	   /* a return of a function, or the jump that ends it; only from rfs_code_scan_entries() */
};

struct rfs_code_site {
	rfs_addr vaddr;
	uint8_t length;
	uint8_t kind; /* enum rfs_code_kind */
	bool atomic;  /* ACCESS: it has a lock prefix, or is xchg with memory */
	/* ACCESS: an atomic load or store of the language: a plain move, or an xchg that stores; see
	 * rfs_code_mark_moves() */
	bool atomic_move;
	/* ACCESS: a cmpxchg that expects a constant, because rax is set to one shortly before */
	bool expects_constant;
	bool tail;	    /* CALL: a jump, not a call; EXIT: a jump to rfs_code_entry.tail, not a return */
	bool local;	    /* CALL: the callee is in the module itself */
	const char *callee; /* CALL: the callee's symbol without version; ENTRY, EXIT: the function; borrowed */
};

struct rfs_code;

/*
 * Sweeps the whole module once. wanted: says which callees matter. Only calls of these become sites of kind
 * RFS_CODE_CALL; if wanted is NULL, no calls do. Returns 0 and *out (free with rfs_code_free(); borrows elf), or
 * -errno.
 */
int rfs_code_scan(const struct rfs_elf *elf, struct rfs_decoder *decoder, bool (*wanted)(const char *callee),
		  struct rfs_code **out) __attribute__((warn_unused_result));

/* Says whether to give up a long sweep. asks() is called often, so it must be fast. */
struct rfs_code_stop {
	bool (*asks)(void *arg);
	void *arg;
};
/* Like rfs_code_scan(), but gives up with -ECANCELED when `stop` says so. stop may be NULL. */
int rfs_code_scan_until(const struct rfs_elf *elf, struct rfs_decoder *decoder, bool (*wanted)(const char *callee),
			const struct rfs_code_stop *stop, struct rfs_code **out) __attribute__((warn_unused_result));

/* A function by its exported name. */
struct rfs_code_entry {
	const char *name;
	bool exits;	  /* its returns are sites too */
	const char *tail; /* an imported (or IFUNC) function to which it may jump at its end; NULL: none */
};
/*
 * Sweeps only these functions. Their sites are of kind ENTRY and, if `exits` is set, of kind EXIT. Their targets are
 * those of their own jumps, branches and calls. If a function has several names, the first entry counts.
 *
 * A function is left out if its end is unknown or it does not decode. If `exits` is set, it is also left out if it
 * begins with a return, or if it has an exit that cannot be a site. Such an exit is a jump out of the function, except
 * to `tail` or to another of these functions that is not left out.
 *
 * Returns 0 and *out (free with rfs_code_free(); borrows elf and the names), or -errno.
 */
int rfs_code_scan_entries(const struct rfs_elf *elf, struct rfs_decoder *decoder, const struct rfs_code_entry *entries,
			  size_t n, struct rfs_code **out) __attribute__((warn_unused_result));
/*
 * Finds only the instructions that read the time stamp counter (RDTSC), write the base of gs (WRGSBASE), or are cpuid
 * (CPUID). Returns 0 and *out (free with rfs_code_free()); -ENOTSUP if the bytes of one of the first two are at a place
 * where the instructions are unknown; or -ENOMEM.
 */
int rfs_code_scan_rare(const struct rfs_elf *elf, struct rfs_decoder *decoder, struct rfs_code **out)
	__attribute__((warn_unused_result));
void rfs_code_free(struct rfs_code *code);

/* All sites, ascending by vaddr. Borrowed. Returns how many. */
size_t rfs_code_sites(const struct rfs_code *code, const struct rfs_code_site **out);
/* The index of the first of n such sites at or after vaddr; n if there is none. */
size_t rfs_code_sites_from(const struct rfs_code_site *sites, size_t n, rfs_addr vaddr);
/*
 * Marks the accesses at these addresses (ascending) as atomic moves, and all others as none. Returns whether that
 * changed a site.
 */
bool rfs_code_mark_moves(struct rfs_code *code, const rfs_addr *vaddrs, size_t n);
/* The targets of direct jumps, branches and calls of the module, ascending, without duplicates. Borrowed. Returns how
 * many. */
size_t rfs_code_targets(const struct rfs_code *code, const rfs_addr **out);
/* How many functions have bytes that cannot be decoded. */
size_t rfs_code_unknown(const struct rfs_code *code);

#endif
