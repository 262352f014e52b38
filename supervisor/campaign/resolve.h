/* resolve.h - resolves a written statement (pairs.h) to its sites (run.h). */
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

/* Which sites of a module count as accesses in addition to RFS_CODE_ACCESS: calls of memcpy and similar functions.
 * NULL: no others. */
typedef bool rfs_range_call(const char *callee);

/*
 * Resolves a name. FILE:LINE: all accesses on the line, in every module that has the line. FUNCTION+0xOFF: the function
 * by its symbol or its demangled name. MODULE+0xOFF: the module by base name or any tail of its path; the offset is the
 * ELF virtual address.
 *
 * 0 and *out (rfs_resolve_release). Its sites are sorted by module in the given order, then by offset, without
 * duplicates. Or -errno and a line in why. -ENOENT: nothing matches; the line names what is near. -EEXIST: several
 * things match; the line names them.
 */
int rfs_resolve(const struct rfs_name *name, const struct rfs_resolve_module *modules, size_t n_modules,
		rfs_range_call *is_range, struct rfs_statement *out, char *why, size_t n)
	__attribute__((warn_unused_result));
void rfs_resolve_release(struct rfs_statement *statement);

#endif
