/*
 * symbolize.h - gives places and objects names: file, line, function, variable. For reports and verdicts.
 *
 * Everything that was read is cached as long as the struct lives. The struct belongs to the campaign's process; every
 * job inherits what was read there.
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

/* The ELF data of the module, and its debug information; NULL if there is none. Borrowed. */
const struct rfs_elf *rfs_symbols_elf(struct rfs_symbols *symbols, const char *module);
const struct rfs_dwarf *rfs_symbols_dwarf(struct rfs_symbols *symbols, const char *module);
/* For this module, names come only from the symbol table, and debug information is not read. For the system's
 * libraries: reading theirs takes a second and makes every fork slower. */
void rfs_symbols_names_only(struct rfs_symbols *symbols, const char *module);
/* Says what could not be read of the file, as a line for the user; NULL if all was read. Borrowed. */
const char *rfs_symbols_warning(struct rfs_symbols *symbols, const char *module);

/* The innermost frame of a place. returns: the place is a return address, so the instruction before it is meant. *out
 * is filled; the caller owns it, as everything in a report. */
void rfs_symbols_place(struct rfs_symbols *symbols, const struct rfs_place *place, bool returns,
		       struct rfs_source_place *out);
/* Appends all frames of a stack to *out, innermost first. Inlined functions get separate frames. The first place is an
 * instruction, the others are return addresses. */
void rfs_symbols_stack(struct rfs_symbols *symbols, const struct rfs_place *stack, size_t n,
		       struct rfs_source_stack *out);

/*
 * The name of an object: "stats.hits", "heap block of 64 bytes + 8, allocated by thread 0 at list.c:14", "stack of
 * thread 2". Caller frees; NULL if nothing is known. atomicity (may be NULL): of a static variable; unknown for other
 * objects.
 */
char *rfs_symbols_object(struct rfs_symbols *symbols, const struct rfs_object *object, enum rfs_atomicity *atomicity);

/* "list.c:14", "libz.so.1+0x4711": for messages of one line. Caller frees. */
char *rfs_symbols_text(struct rfs_symbols *symbols, const struct rfs_place *place, bool returns);

/* What is known about one access to an object. */
enum rfs_access_nature {
	RFS_NATURE_ATOMIC,    /* proven: an atomic instruction, or debug information says so */
	RFS_NATURE_MAYBE,     /* compilers also make this instruction from a legal atomic; the type is unknown */
	RFS_NATURE_AMBIGUOUS, /* the same, and the debug information has an atomic that may be at this place */
	RFS_NATURE_PLAIN,     /* not a legal atomic */
};
enum rfs_access_nature rfs_symbols_nature(struct rfs_symbols *symbols, const struct rfs_evidence *evidence);

#endif
