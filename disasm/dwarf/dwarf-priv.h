/*
 * dwarf-priv.h - what is kept of debug information: flat tables, shared by dwarf_tables.c (writes and maps them), the
 * reader (dwarf_read-priv.h) and the queries (dwarf_code.c, dwarf_variable.c).
 *
 * The reader runs in a child process (dwarf.c says why) and hands its tables over in one anonymous file. So the
 * tables hold no pointers: strings are offsets into RFS_DWARF_STRINGS, all else are indexes. Whoever maps the file
 * checks every one of them once (rfs_dwarf_map), the queries rely on that.
 */
#ifndef RFS_DWARF_PRIV_H
#define RFS_DWARF_PRIV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "disasm/addr.h"
#include "disasm/dwarf/dwarf.h"

#define RFS_DWARF_NONE UINT32_MAX /* an index that names nothing */
#define RFS_DWARF_SHARED_UNIT 0	  /* its types are known to all units */
#define RFS_DWARF_WHY 256	  /* bytes of a line for the user */

enum rfs_dwarf_table {
	RFS_DWARF_STRINGS,   /* char: NUL-terminated strings; the first is empty */
	RFS_DWARF_FILES,     /* rfs_dwarf_file */
	RFS_DWARF_ROWS,	     /* rfs_dwarf_row: ascending, disjoint */
	RFS_DWARF_UNITS,     /* rfs_dwarf_unit; the first one represents all type and partial units */
	RFS_DWARF_FRAMES,    /* rfs_dwarf_frame: parents before children */
	RFS_DWARF_SPANS,     /* rfs_dwarf_span: ascending, disjoint */
	RFS_DWARF_VARIABLES, /* rfs_dwarf_variable: ascending, disjoint */
	RFS_DWARF_TYPES,     /* rfs_dwarf_type */
	RFS_DWARF_MEMBERS,   /* rfs_dwarf_member */
	RFS_DWARF_ATOMICS,   /* rfs_dwarf_atomic: ascending by unit */
	RFS_DWARF_N_TABLES
};

struct rfs_dwarf_file {
	uint32_t path;	   /* normalised: no empty, "." or (if it can be resolved) ".." component */
	uint32_t has_code; /* 1: some row names it; 0: only listed (a header without code) */
};

/* The code of one row of a line table. Line 0 (code without a line) is kept out. */
struct rfs_dwarf_row {
	rfs_addr start, end;
	uint32_t file, line, column;
	uint32_t unused;
};

struct rfs_dwarf_unit {
	/*
	 * 0 if its debug information cannot distinguish an atomic object from a plain one: C before DWARF 5, which has
	 * no DW_TAG_atomic_type; C++ without namespaces; other languages and assembly.
	 */
	uint32_t tells_atomics;
	/* 0 if it has no types (-g1). */
	uint32_t has_types;
};

/* How a function or class belongs to the library that implements atomic objects. */
enum rfs_dwarf_library {
	RFS_DWARF_FOREIGN,
	RFS_DWARF_ATOMIC,      /* wholly, with all that is inlined into it */
	RFS_DWARF_ATOMIC_ONLY, /* its own code does, but others' code (destructors) may be inlined into it */
};

/* One function, or one inlined copy of a function. */
struct rfs_dwarf_frame {
	uint32_t name; /* demangled */
	uint32_t
		parent; /* the frame it was inlined into; RFS_DWARF_NONE for a real function; less than the own index */
	uint32_t unit;
	uint32_t call_file, call_line, call_column; /* call_file is RFS_DWARF_NONE if unknown */
	uint32_t atomic;			    /* enum rfs_dwarf_library */
};

/* Code whose innermost frame is `frame`. */
struct rfs_dwarf_span {
	rfs_addr start, end;
	uint32_t frame;
	uint32_t unused;
};

struct rfs_dwarf_variable {
	rfs_addr start;
	uint64_t size; /* at least 1 */
	uint32_t name; /* qualified */
	uint32_t type; /* or RFS_DWARF_NONE */
	uint32_t unit;
	uint32_t unused;
};

enum rfs_dwarf_kind { RFS_DWARF_SCALAR, RFS_DWARF_STRUCT, RFS_DWARF_UNION, RFS_DWARF_ARRAY };

/* Typedefs and const, volatile, restrict are skipped; an atomic type is a separate type. */
struct rfs_dwarf_type {
	uint64_t size;	   /* 0 unknown */
	uint32_t kind;	   /* enum rfs_dwarf_kind */
	uint32_t atomic;   /* 1: the whole object is atomic */
	uint32_t element;  /* ARRAY: its element type (another ARRAY if it has several dimensions), or
			      RFS_DWARF_NONE */
	uint32_t first, n; /* STRUCT, UNION: its members */
	uint32_t unused;
};

struct rfs_dwarf_member {
	uint64_t offset, size; /* bytes; a bit-field has the bytes that its bits touch */
	uint32_t name;	       /* 0: anonymous member or base class */
	uint32_t type;	       /* or RFS_DWARF_NONE */
};

/* A type that unit knows and that is, or holds, an atomic object which code may reach through a pointer. */
struct rfs_dwarf_atomic {
	uint32_t unit, type;
};

/* The open debug information: the mapped tables. */
struct rfs_dwarf {
	void *map;
	size_t map_size;
	const void *table[RFS_DWARF_N_TABLES];
	size_t n[RFS_DWARF_N_TABLES];
};

/* The rows of one table while it grows. Exhausted memory ends the process: it runs in the reading child only. */
struct rfs_dwarf_array {
	void *rows;
	size_t n, room;
};

struct rfs_dwarf_tables {
	struct rfs_dwarf_array table[RFS_DWARF_N_TABLES];
	/* Set of all strings, open addressing: offset + 1 into RFS_DWARF_STRINGS, 0 empty. Room is a power of two. */
	uint32_t *strings;
	size_t n_strings, strings_room;
};

/* Exit status of the reading child if memory ran out. */
#define RFS_DWARF_EXIT_MEMORY 3

/* A new zeroed row of row_size bytes at the end. Borrowed until the next one. */
void *rfs_dwarf_array_add(struct rfs_dwarf_array *array, size_t row_size);
void rfs_dwarf_tables_init(struct rfs_dwarf_tables *tables);
/* The string's offset; the same for equal strings. */
uint32_t rfs_dwarf_intern(struct rfs_dwarf_tables *tables, const char *s, size_t length);
/* Borrowed until the next rfs_dwarf_intern. */
const char *rfs_dwarf_string(const struct rfs_dwarf_tables *tables, uint32_t string);
/* Bytes of one row of the table. */
size_t rfs_dwarf_row_size(enum rfs_dwarf_table table);

/* Writes status (0 or -errno), why and the tables (NULL: none) into fd, which is empty. 0 or -errno. */
int rfs_dwarf_write(int fd, int status, const char *why, const struct rfs_dwarf_tables *tables)
	__attribute__((warn_unused_result));
/*
 * Maps and checks what rfs_dwarf_write wrote. 0, *out and the child's line in why; the child's -errno and its line;
 * -EBADMSG if the file is incomplete or its content is wrong.
 */
int rfs_dwarf_map(int fd, struct rfs_dwarf **out, char *why, size_t n) __attribute__((warn_unused_result));

/* The row of the table that holds vaddr, or NULL. */
const struct rfs_dwarf_span *rfs_dwarf_span_at(const struct rfs_dwarf *dwarf, rfs_addr vaddr);
const struct rfs_dwarf_variable *rfs_dwarf_variable_at(const struct rfs_dwarf *dwarf, rfs_addr vaddr);

/*
 * Writes path, prefixed by dir (and dir by base) if it is relative, into out without empty, "." and ".." components (a
 * ".." at the front of a relative path stays). False if n is too small.
 */
bool rfs_dwarf_path_join(const char *base, const char *dir, const char *path, char *out, size_t n);
/* Whether tail is path, or its last components. Both normalised. */
bool rfs_dwarf_path_ends(const char *path, const char *tail);

#endif
