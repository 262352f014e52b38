/* match-priv.h - the modules of the program as match.c searches them (match_index.c, match_frame.c), and a search for a
 * frame. */
#ifndef RFS_MATCH_PRIV_H
#define RFS_MATCH_PRIV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uthash.h>

#include "disasm/addr.h"
#include "supervisor/campaign/triage/match.h"

struct rfs_import_access;
struct rfs_import_frame;
struct rfs_import_report;
struct rfs_import_stack;
struct rfs_match_name;
struct rfs_match_seen;
struct rfs_code;
struct rfs_code_site;
struct rfs_function;

struct rfs_match_module {
	struct rfs_match_input input;
	const struct rfs_elf *elf;
	const struct rfs_dwarf *dwarf; /* NULL: no debug information */
	struct rfs_code *locks;	       /* calls that acquire locks; NULL: not read yet, or not possible */
	bool locks_read;
	char *real;		/* its path without symbolic links, which Valgrind writes; NULL: as in the input */
	uint64_t fits, differs; /* how many frames have the line that is at their address here, and how many not */
};

/* Where a process of Valgrind had loaded the modules. The addresses of functions in its reports tell that. */
struct rfs_match_process {
	uint64_t number; /* key */
	uint64_t *bases; /* one for each module; RFS_MATCH_NO_BASE: unknown */
	UT_hash_handle hh;
};
#define RFS_MATCH_NO_BASE UINT64_MAX

/* A function of a module. */
struct rfs_match_function {
	size_t module;
	rfs_addr start, end;
	char *bare; /* owned by the index */
};

struct rfs_match {
	struct rfs_symbols *symbols;
	struct rfs_match_module *modules;
	size_t n_modules;
	/* all functions by the last component of their names; made when a function is first looked up */
	struct rfs_match_name *names;
	bool indexed;
	struct rfs_match_process *processes;
	uint64_t program_base;	     /* of the first module, in the process that says it first */
	struct rfs_match_seen *seen; /* the frames that rfs_match_frame() was asked for */
};

/* Calls f for each function that may have this name (as written by any tool). */
void rfs_match_functions(struct rfs_match *match, const char *name,
			 void (*f)(void *arg, const struct rfs_match_function *function), void *arg);
void rfs_match_release_index(struct rfs_match *match);
void rfs_match_release_frames(struct rfs_match *match);

/* Whether a report may call the module so: a path or a base name. */
bool rfs_match_is_named(const struct rfs_match_module *module, const char *name);
/* Finds the offset in the module of an address in a process of Valgrind. False if it is in no function there. */
bool rfs_match_offset_of(const struct rfs_match *match, uint64_t process, size_t module, uint64_t address,
			 rfs_addr *vaddr);

/* The accesses of a module, and its calls of functions that access ranges. Returns how many. */
size_t rfs_match_accesses(const struct rfs_match_module *module, const struct rfs_code_site **out);
/* The calls of a module that acquire locks. Returns how many. */
size_t rfs_match_locks(struct rfs_match *match, struct rfs_match_module *module, const struct rfs_code_site **out);

/* Modules are loaded at multiples of this. */
#define RFS_MATCH_PAGE 4096
/* Whether the code at vaddr has the file and line of the frame, if the frame has a line. */
bool rfs_match_line_fits(const struct rfs_match_module *module, rfs_addr vaddr, const struct rfs_import_frame *frame);

/* What one instruction does. */
struct rfs_match_insn {
	bool reads, writes;
	uint64_t size; /* 0: several sizes, or unknown */
};
bool rfs_match_insn(struct rfs_match *match, const struct rfs_match_module *module, const struct rfs_code_site *site,
		    struct rfs_match_insn *out);

/* ---- a search ---- */

/* An instruction that the report may mean, and how well it fits. */
struct rfs_match_candidate {
	size_t module;
	const struct rfs_code_site *site;
	unsigned inlined; /* 2: all functions inlined there are in the stack; 1: the innermost one is; 0: none */
	unsigned kind;	  /* 3: kind and size; 2: the kind; 1: perhaps, because a call does it; 0: another kind */
	unsigned far;	  /* lines away from the reported one */
};

/* What is searched, and what was found. */
struct rfs_match_search {
	struct rfs_match *match;
	const struct rfs_import_report *report;
	const struct rfs_import_access *access; /* NULL: a lock */
	const struct rfs_import_stack *stack;
	size_t own; /* the frame whose code is searched */
	/* the function of the C library that the frame calls, if a tool's version of it made the access; NULL: none */
	const char *called;
	bool only_calls; /* the access is in a library, so the frame's own accesses do not count */
	struct rfs_match_candidate *found;
	size_t n;
	/* while a file and line are searched */
	size_t module;
	unsigned line;
	bool has_code;
};

/* Adds a site, unless it does another kind of access. */
void rfs_match_add(struct rfs_match_search *search, size_t module, const struct rfs_code_site *site, unsigned inlined,
		   unsigned far);
/* The sites of a module of the kind that is searched: accesses, or calls that acquire locks. Returns how many. */
size_t rfs_match_sites(struct rfs_match_search *search, size_t module, const struct rfs_code_site **out);
bool rfs_match_counts(const struct rfs_match_search *search, const struct rfs_code_site *site);
/* Whether the frame may be in this module. */
bool rfs_match_may_be_in(const struct rfs_match_search *search, size_t module);

/* match_offset.c: each adds the instruction of the frame, or returns false. */
bool rfs_match_by_offset(struct rfs_match_search *search);	   /* the build-ids agree */
bool rfs_match_by_unnamed_offset(struct rfs_match_search *search); /* only an offset is known */
bool rfs_match_by_address(struct rfs_match_search *search);	   /* of Valgrind */
/* Adds the instructions of this kind and size in the block of code that begins at the frame's address: DRD may name the
 * begin of the block, even if the access is in a function that the block calls. */
bool rfs_match_by_block(struct rfs_match_search *search);

#endif
