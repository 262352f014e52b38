/*
 * symbolize.h - gives places and objects names: file, line, function, variable. For reports and verdicts.
 *
 * struct rfs_symbols caches everything that was read from ELF files. The campaign's process has this struct. Each job
 * is forked from that process and inherits the cache.
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
struct rfs_source_files;
struct rfs_decoder;

struct rfs_symbols *rfs_symbols_new(void); /* the caller frees it with rfs_symbols_free() */
void rfs_symbols_free(struct rfs_symbols *symbols);

/*
 * The ELF data of the module, and the module's debug information. Each returns NULL if the module has none. Borrowed.
 */
const struct rfs_elf *rfs_symbols_elf(struct rfs_symbols *symbols, const char *module);
const struct rfs_dwarf *rfs_symbols_dwarf(struct rfs_symbols *symbols, const char *module);
/*
 * Call this for the system's libraries. Names of the module then come only from its symbol table. Reading the debug
 * information of such a library takes a second and makes every fork slower.
 */
void rfs_symbols_names_only(struct rfs_symbols *symbols, const char *module);
/* A line for the user that says which part of the file could not be read; NULL if all was read. Borrowed. */
const char *rfs_symbols_warning(struct rfs_symbols *symbols, const char *module);

/*
 * Fills *out with the frame that names a place: the innermost one in the user's code among the function and those that
 * are inlined there; the innermost one, if all are of the system. returns: the place is a return address, so the
 * function looks up the call before the address. The caller frees *out with rfs_source_place_release().
 */
void rfs_symbols_place(struct rfs_symbols *symbols, const struct rfs_place *place, bool returns,
		       struct rfs_source_place *out);
/* The same for a place whose callers are known: the innermost frame in the user's code. callers: n return addresses. */
void rfs_symbols_caller(struct rfs_symbols *symbols, const struct rfs_place *place, bool returns,
			const struct rfs_place *callers, size_t n, struct rfs_source_place *out);
/*
 * Appends all frames of a stack to *out, innermost first. Inlined functions get separate frames. The first place of the
 * stack is an instruction; the other places are return addresses.
 */
void rfs_symbols_stack(struct rfs_symbols *symbols, const struct rfs_place *stack, size_t n,
		       struct rfs_source_stack *out);

/*
 * The name of an object: "stats.hits", "next of struct node, allocated by thread 0 at list.c:14" (heap_name.h),
 * "main::total" for a variable on the stack, "stack of thread 2" if it is not known which variable. For a word lock, it
 * is followed by the function that acquires it: "word (lock of spin_lock)". Caller frees; NULL if nothing is known. If
 * atomicity is not NULL, sets *atomicity to whether a variable is atomic, and to unknown for other objects.
 */
char *rfs_symbols_object(struct rfs_symbols *symbols, const struct rfs_object *object, enum rfs_atomicity *atomicity);
/*
 * The name of a lock, a condition variable or another object that threads wait for. Blocks that were allocated at one
 * place have one name, so it is followed by the offset in the heap, which stories have too: "heap block of 40 bytes,
 * allocated by thread 0 at bank.c:12 (heap+0x2a0)". If the run did not know the block, this is its whole name. Caller
 * frees; NULL if nothing is known.
 */
char *rfs_symbols_lock(struct rfs_symbols *symbols, const struct rfs_object *lock);

/* The place as short text, for messages of one line: "list.c:14", "libz.so.1+0x4711". Caller frees. */
char *rfs_symbols_short(const struct rfs_source_place *place);
/* The same for what rfs_symbols_place() gives. Caller frees. */
char *rfs_symbols_text(struct rfs_symbols *symbols, const struct rfs_place *place, bool returns);

/* The source files that were read so far, and a decoder of instructions (NULL: out of memory). Borrowed. */
struct rfs_source_files *rfs_symbols_sources(struct rfs_symbols *symbols);
struct rfs_decoder *rfs_symbols_decoder(struct rfs_symbols *symbols);

#endif
