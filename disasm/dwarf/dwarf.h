/*
 * dwarf.h - source lines, inlined functions, variables and types from debug information (DWARF 2 to 5), read once and
 * copied out of libdwarf. Separate debug files are found by build-id and .gnu_debuglink below /usr/lib/debug.
 */
#ifndef RFS_DWARF_H
#define RFS_DWARF_H

#include <stdbool.h>
#include <stddef.h>

#include "disasm/addr.h"

struct rfs_dwarf;

/*
 * Reads the debug information of the ELF file at path. 0 and *out (free with rfs_dwarf_free); -ENODATA: it has none;
 * -EBADMSG: damaged; other -errno. why (n bytes) gets a line for the user on any error, and on 0 if parts are damaged
 * and left out ("" otherwise). Forks: the file is read in a child process, which this waits for by its id.
 */
int rfs_dwarf_open(const char *path, struct rfs_dwarf **out, char *why, size_t n) __attribute__((warn_unused_result));
void rfs_dwarf_free(struct rfs_dwarf *dwarf);

struct rfs_line {
	const char *file;      /* absolute if the compilation directory is known; borrowed from the dwarf */
	unsigned line, column; /* column 0: unknown */
};
/* The line of vaddr. False if there is none. */
bool rfs_dwarf_line(const struct rfs_dwarf *dwarf, rfs_addr vaddr, struct rfs_line *out);

/*
 * The functions that contain vaddr, innermost inlined one first, the real function last. Returns how many (at most
 * max).
 */
struct rfs_frame {
	const char *function; /* demangled name, borrowed */
	struct rfs_line
		call; /* where this inlined body was called from; file NULL, line 0: the real function, or unknown */
};
size_t rfs_dwarf_frames(const struct rfs_dwarf *dwarf, rfs_addr vaddr, struct rfs_frame *out, size_t max);

/*
 * The vaddr ranges [start, end) that belong to FILE:LINE, file being any unambiguous tail of a path (whole components).
 * Calls f for each. Returns how many ranges, 0 if the line has no code, -ENOENT: no such file, -EEXIST: several files
 * end like this (their names through rfs_dwarf_files).
 */
int rfs_dwarf_ranges(const struct rfs_dwarf *dwarf, const char *file, unsigned line,
		     void (*f)(void *arg, rfs_addr start, rfs_addr end), void *arg);
/* Calls f with every source file that rfs_dwarf_ranges would take tail for: the file of that very path, or else the
 * files with code whose paths end in tail, or else those without code. Returns how many. */
size_t rfs_dwarf_files(const struct rfs_dwarf *dwarf, const char *tail, void (*f)(void *arg, const char *file),
		       void *arg);

/* What DWARF knows of an object's atomicity. */
enum rfs_atomicity { RFS_ATOMICITY_UNKNOWN, RFS_ATOMICITY_PLAIN, RFS_ATOMICITY_ATOMIC };

/*
 * The static variable that holds vaddr, written as an expression into name ("stats.hits", "table[3].next",
 * "ns::Class::count", "function::local"; at most n bytes with its NUL). The expression ends at an atomic object.
 * atomicity: of the member reached (C _Atomic qualifiers and std::atomic, also on enclosing members); also unknown if
 * the debug information cannot tell (C before DWARF 5, which drops _Atomic). False if no variable is known.
 */
bool rfs_dwarf_variable(const struct rfs_dwarf *dwarf, rfs_addr vaddr, char *name, size_t n,
			enum rfs_atomicity *atomicity);

/*
 * True if vaddr is in a function of std::atomic, std::__atomic_base, std::atomic_ref, std::atomic_flag or another
 * implementation of the language's atomic objects (rfs_dwarf_atomic_name lists it), inlined or not.
 */
bool rfs_dwarf_in_atomic(const struct rfs_dwarf *dwarf, rfs_addr vaddr);

/*
 * True if the compilation unit of the code at vaddr knows a structure with an atomic member of `size` bytes at
 * `offset`, or a pointer to such an atomic object: an access base + offset there may be a legal atomic; in C, no
 * inlined frame shows that. The base may be any element of an array of them; a negative offset is given as its two's
 * complement. Also true if the debug information cannot tell: none for this code, C before DWARF 5, assembly, -g1.
 */
bool rfs_dwarf_may_be_atomic(const struct rfs_dwarf *dwarf, rfs_addr vaddr, uint64_t offset, uint64_t size);

/* The same by the demangled name of the function alone, for code without debug information. */
bool rfs_is_atomic_function(const char *demangled);

/* Demangles a C++ name. Caller frees; NULL if name is not mangled. */
char *rfs_demangle(const char *name);

#endif
