/* resolve.h - finds the sites that a statement or a lock of a pairs file names (record/pairs.h). */
#ifndef RFS_RESOLVE_H
#define RFS_RESOLVE_H

#include <stdbool.h>
#include <stddef.h>

struct rfs_statement;
struct rfs_name;

/* A module that statements may name. All pointers are borrowed. */
struct rfs_resolve_module {
	const char *path; /* the module's name in struct rfs_site_ref */
	const struct rfs_elf *elf;
	const struct rfs_dwarf *dwarf; /* NULL: no debug information */
	const struct rfs_code *code;   /* NULL, only for locks: an offset may be any address */
};

/*
 * Says whether a call of this function counts as an access, as for memcpy and similar functions. If the pointer is
 * NULL, no call does. Sites of kind RFS_CODE_ACCESS always count.
 */
typedef bool rfs_range_call(const char *callee);

/*
 * Finds the sites of a name. The forms of a name are:
 * - FILE:LINE: all accesses on the line, in each module that has the line.
 * - FUNCTION+0xOFF: one access; the function by its symbol or its demangled name.
 * - MODULE+0xOFF: one access at this ELF virtual address; the module by its base name or the last components of its
 *   path.
 *
 * 0 and *out (free with rfs_resolve_release()), or -errno and a line in why. The sites of *out are in the order of
 * `modules`; the sites of one module are in the order of their offsets. There are no duplicates. -ENOENT: nothing
 * matches; the line names similar things. -EEXIST: several things match; the line names them.
 */
int rfs_resolve(const struct rfs_name *name, const struct rfs_resolve_module *modules, size_t n_modules,
		rfs_range_call *is_range, struct rfs_statement *out, char *why, size_t n)
	__attribute__((warn_unused_result));
/*
 * The same for a statement that is a system call: FUNCTION+0xOFF or MODULE+0xOFF of the last byte of the call that
 * leads to it (kernel/object_calls.h).
 */
int rfs_resolve_call(const struct rfs_name *name, const struct rfs_resolve_module *modules, size_t n_modules,
		     struct rfs_statement *out) __attribute__((warn_unused_result));
/*
 * The same for a lock of a predicted deadlock. Its sites are where a thread acquires it: atomic instructions, and the
 * return addresses of calls that is_lock accepts.
 */
int rfs_resolve_lock(const struct rfs_name *name, const struct rfs_resolve_module *modules, size_t n_modules,
		     rfs_range_call *is_lock, struct rfs_statement *out, char *why, size_t n)
	__attribute__((warn_unused_result));
void rfs_resolve_release(struct rfs_statement *statement);

#endif
