/*
 * symbolize.h - what stands behind module + offset: file, line, function, variable. For reports and verdicts.
 *
 * Everything read is kept as long as the struct lives. It belongs to the campaign's process: what it has read there,
 * every job inherits.
 */
#ifndef RFS_SYMBOLIZE_H
#define RFS_SYMBOLIZE_H

#include <stdbool.h>
#include <stddef.h>

#include "disasm/dwarf/dwarf.h"

struct rfs_source_place;
struct rfs_place;
struct rfs_source_stack;
struct rfs_object;
struct rfs_evidence;
struct rfs_symbols;

struct rfs_symbols *rfs_symbols_new(void); /* rfs_symbols_free() */
void rfs_symbols_free(struct rfs_symbols *symbols);

/* What the module's file says about itself, and its debug information; NULL where there is none. Borrowed. */
const struct rfs_elf *rfs_symbols_elf(struct rfs_symbols *symbols, const char *module);
const struct rfs_dwarf *rfs_symbols_dwarf(struct rfs_symbols *symbols, const char *module);
/*
 * Names from the symbol table are enough for this module: its debug information is not read. For the system's
 * libraries, where it takes a second and makes every fork slower.
 */
void rfs_symbols_names_only(struct rfs_symbols *symbols, const char *module);
/* What could not be read of the file: NULL, or a line for the user. Borrowed. */
const char *rfs_symbols_warning(struct rfs_symbols *symbols, const char *module);

/*
 * The innermost frame of a place. returns: it is a return address, so the instruction before it is meant. *out is
 * filled and owned by the caller, as all of a report.
 */
void rfs_symbols_place(struct rfs_symbols *symbols, const struct rfs_place *place, bool returns,
		       struct rfs_source_place *out);
/* All of a stack, innermost first, inlined functions as frames of their own. The first place is an instruction, the
 * others are return addresses. Appends to *out. */
void rfs_symbols_stack(struct rfs_symbols *symbols, const struct rfs_place *stack, size_t n,
		       struct rfs_source_stack *out);

/*
 * What an object is called: "stats.hits", "heap block of 64 bytes + 8, allocated by thread 0 at list.c:14", "stack of
 * thread 2". Caller frees; NULL where nothing is known. atomicity (may be NULL): of a static variable, else unknown.
 */
char *rfs_symbols_object(struct rfs_symbols *symbols, const struct rfs_object *object, enum rfs_atomicity *atomicity);

/* "list.c:14", "libz.so.1+0x4711": for one-line messages. Caller frees. */
char *rfs_symbols_text(struct rfs_symbols *symbols, const struct rfs_place *place, bool returns);

/* What is known of one access to an object. */
enum rfs_access_nature {
	RFS_NATURE_ATOMIC,    /* proven: an atomic instruction, or debug information says so */
	RFS_NATURE_MAYBE,     /* an instruction that compilers also make of a legal atomic, type unknown */
	RFS_NATURE_AMBIGUOUS, /* the same, and the debug information knows an atomic that could stand there */
	RFS_NATURE_PLAIN,     /* no legal atomic */
};
enum rfs_access_nature rfs_symbols_nature(struct rfs_symbols *symbols, const struct rfs_evidence *evidence);

#endif
