/*
 * dwarf.h - source lines, inlined functions, variables and types from debug information (DWARF 2 to 5). The information
 * is read once and copied out of libdwarf. Separate debug files are found below /usr/lib/debug by build-id or
 * .gnu_debuglink, and in the cache of debuginfod.
 */
#ifndef RFS_DWARF_H
#define RFS_DWARF_H

#include <stdbool.h>
#include <stddef.h>

#include "disasm/addr.h"

struct rfs_dwarf;

/*
 * Reads the debug information of the ELF file at path, in a forked child process for which it waits. Returns 0 and *out
 * (caller frees with rfs_dwarf_free()); -ENODATA if there is none; -EBADMSG if it is damaged; or another -errno. On an
 * error, why (n bytes) gets a message for the user. On 0, it gets one if damaged parts are left out, and is ""
 * otherwise.
 */
int rfs_dwarf_open(const char *path, struct rfs_dwarf **out, char *why, size_t n) __attribute__((warn_unused_result));
void rfs_dwarf_free(struct rfs_dwarf *dwarf);

struct rfs_line {
	const char *file;      /* absolute if the compilation directory is known; borrowed until rfs_dwarf_free() */
	unsigned line, column; /* column 0: unknown */
};
/* The source line of the code at vaddr. False if it is unknown. */
bool rfs_dwarf_line(const struct rfs_dwarf *dwarf, rfs_addr vaddr, struct rfs_line *out);

/*
 * The functions that contain vaddr: inlined ones first, innermost first, then the function they are inlined into.
 * Returns how many, at most max.
 */
struct rfs_frame {
	const char *function;  /* demangled name; borrowed until rfs_dwarf_free() */
	const char *qualified; /* with template arguments, in Rust too, and without parameters; "" if it is unknown */
	/* where this inlined function was called; file NULL and line 0 if it is not inlined or the place is unknown */
	struct rfs_line call;
};
size_t rfs_dwarf_frames(const struct rfs_dwarf *dwarf, rfs_addr vaddr, struct rfs_frame *out, size_t max);

/*
 * Calls f for each vaddr range [start, end) of code that belongs to file:line. file is a path or its last components.
 * Returns how many ranges; 0 if the line has no code; -ENOENT if no file matches; -EEXIST if several files match
 * (rfs_dwarf_files() lists them).
 */
int rfs_dwarf_ranges(const struct rfs_dwarf *dwarf, const char *file, unsigned line,
		     void (*f)(void *arg, rfs_addr start, rfs_addr end), void *arg);
/* The same for functions that were inlined into file:line, and for what was inlined into these. */
int rfs_dwarf_inlined(const struct rfs_dwarf *dwarf, const char *file, unsigned line,
		      void (*f)(void *arg, rfs_addr start, rfs_addr end), void *arg);
/* Calls f with each source file that matches tail: the file with exactly this path; if there is none, files with code
 * whose paths end in tail; if there are none, files without code that do. Returns how many. */
size_t rfs_dwarf_files(const struct rfs_dwarf *dwarf, const char *tail, void (*f)(void *arg, const char *file),
		       void *arg);

/* Calls f with each name of a function, inlined ones too, of a variable with a fixed address, and of a type. */
void rfs_dwarf_each_name(const struct rfs_dwarf *dwarf, void (*f)(void *arg, const char *name), void *arg);
/* Calls f with each source file. */
void rfs_dwarf_each_file(const struct rfs_dwarf *dwarf, void (*f)(void *arg, const char *file), void *arg);

/* What the debug information says about whether an object is atomic. */
enum rfs_atomicity { RFS_ATOMICITY_UNKNOWN, RFS_ATOMICITY_PLAIN, RFS_ATOMICITY_ATOMIC };

/*
 * Finds the static variable that contains vaddr. Writes it as an expression to name, with its NUL at most n bytes:
 * "stats.hits", "table[3].next", "ns::Class::count", "function::local". The expression ends at an atomic object.
 *
 * *atomicity describes the member reached: C _Atomic qualifiers and std::atomic count, also on enclosing members. It is
 * unknown if the debug information cannot tell (C before DWARF 5 drops _Atomic). False if no variable is known there.
 */
bool rfs_dwarf_variable(const struct rfs_dwarf *dwarf, rfs_addr vaddr, char *name, size_t n,
			enum rfs_atomicity *atomicity);

/*
 * The same for a variable on the stack. The code at vaddr is in its function, or in what is inlined there. offset: from
 * the canonical frame address of that function, which is the stack pointer before its call. False also if the debug
 * information cannot tell which one of several variables it is.
 */
bool rfs_dwarf_local(const struct rfs_dwarf *dwarf, rfs_addr vaddr, int64_t offset, char *name, size_t n,
		     enum rfs_atomicity *atomicity);

/*
 * Describes an object of a type, or of an array of it, that takes size bytes. type: its name as in the source; it may
 * lack the outer namespaces. Writes the path to the object at offset, such as ".next" or "[3].next", "" for the whole
 * object, to name. *count gets how many elements there are. False if no type of this name fits the size, or if several
 * do that differ.
 */
bool rfs_dwarf_in_type(const struct rfs_dwarf *dwarf, const char *type, uint64_t size, uint64_t offset, char *name,
		       size_t n, uint64_t *count);

/*
 * Whether the code at `a` and later the code at `b`, in one call of a function, find the same variable at this offset.
 * False also if that is not certain. A variable of a block, or of an inlined function, is a new one each time that the
 * program enters the block.
 */
bool rfs_dwarf_same_local(const struct rfs_dwarf *dwarf, rfs_addr a, rfs_addr b, int64_t offset);

/*
 * Whether vaddr is in a function, inlined or not, that implements atomic objects of the language: std::atomic,
 * std::__atomic_base, std::atomic_ref, std::atomic_flag or another one in the list of rfs_dwarf_atomic_name().
 */
bool rfs_dwarf_in_atomic(const struct rfs_dwarf *dwarf, rfs_addr vaddr);

/* How the debug information of some code shows which objects are atomic. */
enum rfs_dwarf_tells {
	RFS_DWARF_TELLS_NOT,	  /* not at all: C before DWARF 5, assembly, -g1, code without debug information */
	RFS_DWARF_TELLS_BY_TYPE,  /* C: by the types of objects; a load of an atomic object looks like any other one */
	RFS_DWARF_TELLS_BY_FRAME, /* C++, Rust: also by the functions that access them (rfs_dwarf_in_atomic()) */
};
enum rfs_dwarf_tells rfs_dwarf_tells_atomics(const struct rfs_dwarf *dwarf, rfs_addr vaddr);

/*
 * Calls named for each type with an atomic object of `size` bytes at `offset`, until it returns true. These are
 * structures of the compilation unit with atomic members, and what its pointers to atomics point to. name is that of
 * the innermost member, "" for an object that is no member; it is borrowed during the call. The access may be to any
 * element of an array of the type, except if `single` is true and the type is no larger than the access. A negative
 * offset is passed as its two's complement. Returns whether named returned true.
 */
bool rfs_dwarf_atomic_member(const struct rfs_dwarf *dwarf, rfs_addr vaddr, uint64_t offset, uint64_t size, bool single,
			     bool (*named)(void *arg, const char *name), void *arg);

/* Like rfs_dwarf_in_atomic(), but from the demangled name of a function, for code without debug information. */
bool rfs_is_atomic_function(const char *demangled);

/* Demangles a C++ name. Caller frees. NULL if name is not mangled. */
char *rfs_demangle(const char *name);

#endif
