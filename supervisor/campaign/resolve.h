/* resolve.h - from a statement as it is written (pairs.h) to the sites that it stands for (run.h). */
#ifndef RFS_RESOLVE_H
#define RFS_RESOLVE_H

#include <stdbool.h>
#include <stddef.h>

struct rfs_statement;
struct rfs_name;

/* A module that statements may name. All pointers are borrowed. */
struct rfs_resolve_module {
	const char *path; /* as in struct rfs_site_ref */
	const struct rfs_elf *elf;
	const struct rfs_dwarf *dwarf; /* NULL: no debug information */
	const struct rfs_code *code;
};

/* Which sites of a module count as accesses beside RFS_CODE_ACCESS: calls of memcpy and its kin. NULL: none do. */
typedef bool rfs_range_call(const char *callee);

/*
 * FILE:LINE: all accesses on the line, in every module that has it. FUNCTION+0xOFF: the function by its symbol or its
 * demangled name. MODULE+0xOFF: by base name or any tail of the path; the offset is the ELF virtual address.
 * 0 and *out (rfs_resolve_release), its sites ascending by module in the order given and by offset, each once; or a
 * line in why, with -ENOENT: nothing matches (what is near is named), -EEXIST: several things match (they are named).
 */
int rfs_resolve(const struct rfs_name *name, const struct rfs_resolve_module *modules, size_t n_modules,
		rfs_range_call *is_range, struct rfs_statement *out, char *why, size_t n)
	__attribute__((warn_unused_result));
void rfs_resolve_release(struct rfs_statement *statement);

#endif
