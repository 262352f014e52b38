/*
 * dwarf-priv.h - the flat tables that hold what rfsup keeps of debug information. dwarf_tables.c writes and maps them,
 * the reader fills them (dwarf_read-priv.h), and the queries read them (dwarf_code.c, dwarf_variable.c).
 *
 * The reader runs in a child process (dwarf.c says why) and passes its tables on in one anonymous file. So the tables
 * contain no pointers: strings are offsets into RFS_DWARF_STRINGS, all other references are indexes. rfs_dwarf_map()
 * checks each of them once, so the queries need no checks.
 */
#ifndef RFS_DWARF_PRIV_H
#define RFS_DWARF_PRIV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "disasm/addr.h"
#include "disasm/dwarf/dwarf.h"

#define RFS_DWARF_NONE UINT32_MAX /* an index that refers to nothing */
#define RFS_DWARF_SHARED_UNIT 0	  /* the unit whose types all units may use */
#define RFS_DWARF_WHY 256	  /* size of the buffer for a message to the user */

enum rfs_dwarf_table {
	RFS_DWARF_STRINGS,   /* bytes of NUL-terminated strings; the first string is empty */
	RFS_DWARF_FILES,     /* rfs_dwarf_file */
	RFS_DWARF_ROWS,	     /* rfs_dwarf_row: by address, without overlaps */
	RFS_DWARF_UNITS,     /* rfs_dwarf_unit; the first row represents all type and partial units */
	RFS_DWARF_FRAMES,    /* rfs_dwarf_frame: a parent comes before its children */
	RFS_DWARF_SPANS,     /* rfs_dwarf_span: by address, without overlaps */
	RFS_DWARF_VARIABLES, /* rfs_dwarf_variable: by address, without overlaps */
	RFS_DWARF_LOCALS,    /* rfs_dwarf_local: by frame */
	RFS_DWARF_TYPES,     /* rfs_dwarf_type */
	RFS_DWARF_MEMBERS,   /* rfs_dwarf_member */
	RFS_DWARF_ATOMICS,   /* rfs_dwarf_atomic: sorted by unit */
	RFS_DWARF_NAMED,     /* rfs_dwarf_named: types with names */
	RFS_DWARF_N_TABLES
};

struct rfs_dwarf_file {
	uint32_t path;	   /* normalised: without empty, "." and (if they can be resolved) ".." components */
	uint32_t has_code; /* 1: at least one row refers to it; 0: the file has no code, such as a header */
};

/* The code of one row of a line table. Rows with line 0 (code without a line) are left out. */
struct rfs_dwarf_row {
	rfs_addr start, end;
	uint32_t file, line, column;
	uint32_t unused;
};

struct rfs_dwarf_unit {
	/*
	 * enum rfs_dwarf_tells: how the debug information shows which objects are atomic. RFS_DWARF_TELLS_NOT for C
	 * before DWARF 5 (it has no DW_TAG_atomic_type), C++ without namespaces, assembly and other languages.
	 */
	uint32_t tells_atomics;
	/* 0 if the debug information has no types (-g1) */
	uint32_t has_types;
};

/* Whether a function or class implements the language's atomic objects. */
enum rfs_dwarf_library {
	RFS_DWARF_FOREIGN,
	RFS_DWARF_ATOMIC,      /* yes, with everything inlined into it */
	RFS_DWARF_ATOMIC_ONLY, /* its own code does, but other code inlined into it (destructors) does not */
};

/* A frame: one function, or one inlined copy of a function. */
struct rfs_dwarf_frame {
	uint32_t name;	    /* demangled name, as an offset into RFS_DWARF_STRINGS */
	uint32_t qualified; /* the same with template arguments and without parameters */
	/* an earlier index: the frame that it was inlined into; RFS_DWARF_NONE if it is not inlined */
	uint32_t parent;
	uint32_t unit;
	uint32_t call_file, call_line, call_column; /* where it was inlined; call_file is RFS_DWARF_NONE if unknown */
	uint32_t atomic;			    /* enum rfs_dwarf_library */
};

/* A range of code, and its innermost frame. */
struct rfs_dwarf_span {
	rfs_addr start, end;
	uint32_t frame;
	uint32_t unused;
};

struct rfs_dwarf_variable {
	rfs_addr start;
	uint64_t size; /* in bytes, at least 1 */
	uint32_t name; /* qualified name, as an offset into RFS_DWARF_STRINGS */
	uint32_t type; /* RFS_DWARF_NONE if unknown */
	uint32_t unit;
	uint32_t unused;
};

/* A variable at a fixed place on the stack while the code of its frame runs. */
struct rfs_dwarf_local {
	int64_t start; /* from the canonical frame address: the stack pointer before the call of the function */
	uint64_t size; /* in bytes, at least 1 */
	uint32_t name; /* qualified name, as an offset into RFS_DWARF_STRINGS */
	uint32_t type; /* RFS_DWARF_NONE if unknown */
	uint32_t unit;
	uint32_t frame;
	uint32_t in_block; /* 1: it belongs to a block, which one call of the function may enter several times */
	uint32_t unused;
};

enum rfs_dwarf_kind { RFS_DWARF_SCALAR, RFS_DWARF_STRUCT, RFS_DWARF_UNION, RFS_DWARF_ARRAY };

/* A type without typedefs, const, volatile and restrict. An atomic type is separate from its plain type. */
struct rfs_dwarf_type {
	uint64_t size;	   /* 0: unknown */
	uint32_t kind;	   /* enum rfs_dwarf_kind */
	uint32_t atomic;   /* 1: the whole object is atomic */
	uint32_t element;  /* ARRAY: its element type, another ARRAY if there are several dimensions; RFS_DWARF_NONE if
			      unknown */
	uint32_t first, n; /* STRUCT, UNION: its members are n rows from `first` on */
	uint32_t unused;
};

struct rfs_dwarf_member {
	uint64_t offset, size; /* in bytes; for a bit-field, the bytes that contain its bits */
	uint32_t name;	       /* 0: an anonymous member or a base class */
	uint32_t type;	       /* RFS_DWARF_NONE if unknown */
};

/* A type that one unit uses. It is, or contains, an atomic object that code may access through a pointer. */
struct rfs_dwarf_atomic {
	uint32_t unit, type;
};

/* A type that has a name. Units that define it in the same way share one row. */
struct rfs_dwarf_named {
	uint32_t name; /* qualified name, as an offset into RFS_DWARF_STRINGS */
	uint32_t type;
};

/* Open debug information: the mapped tables. */
struct rfs_dwarf {
	void *map;
	size_t map_size;
	const void *table[RFS_DWARF_N_TABLES];
	size_t n[RFS_DWARF_N_TABLES];
};

/* A table that still grows. Only the reading child uses it. If memory is exhausted, the child ends. */
struct rfs_dwarf_array {
	void *rows;
	size_t n, room;
};

struct rfs_dwarf_tables {
	struct rfs_dwarf_array table[RFS_DWARF_N_TABLES];
	/* A hash set of all strings, with open addressing. An entry is an offset into RFS_DWARF_STRINGS plus 1; 0:
	 * empty. strings_room is a power of two. */
	uint32_t *strings;
	size_t n_strings, strings_room;
};

/* The exit status of the reading child if memory is exhausted. */
#define RFS_DWARF_EXIT_MEMORY 3

/* Adds a zeroed row of row_size bytes at the end. Borrowed until the next row is added. */
void *rfs_dwarf_array_add(struct rfs_dwarf_array *array, size_t row_size);
void rfs_dwarf_tables_init(struct rfs_dwarf_tables *tables);
/* The offset of a string in RFS_DWARF_STRINGS. Equal strings have equal offsets. */
uint32_t rfs_dwarf_intern(struct rfs_dwarf_tables *tables, const char *s, size_t length);
/* The string at this offset. Borrowed until the next rfs_dwarf_intern(). */
const char *rfs_dwarf_string(const struct rfs_dwarf_tables *tables, uint32_t string);
/* The size of one row of the table in bytes. */
size_t rfs_dwarf_row_size(enum rfs_dwarf_table table);

/* Writes all n bytes to fd. Returns 0 or -errno. */
int rfs_dwarf_write_all(int fd, const void *data, size_t n) __attribute__((warn_unused_result));
/* Writes status (0 or -errno), why and the tables (NULL: none) into the empty file fd. Returns 0 or -errno. */
int rfs_dwarf_write(int fd, int status, const char *why, const struct rfs_dwarf_tables *tables)
	__attribute__((warn_unused_result));
/*
 * Maps and checks what rfs_dwarf_write() wrote. Returns 0 and *out if the child's status was 0; the child's -errno
 * otherwise; -EBADMSG if the file is incomplete or its content is wrong. why gets the child's message.
 */
int rfs_dwarf_map(int fd, struct rfs_dwarf **out, char *why, size_t n) __attribute__((warn_unused_result));

/* The row that contains vaddr; NULL if there is none. */
const struct rfs_dwarf_span *rfs_dwarf_span_at(const struct rfs_dwarf *dwarf, rfs_addr vaddr);
const struct rfs_dwarf_variable *rfs_dwarf_variable_at(const struct rfs_dwarf *dwarf, rfs_addr vaddr);

/*
 * Joins base, dir and path into out. A path after an absolute one starts anew, so an absolute path ignores dir and
 * base. The result has no empty, "." and ".." components, except ".." at the front of a relative path. False if n is
 * too small.
 */
bool rfs_dwarf_path_join(const char *base, const char *dir, const char *path, char *out, size_t n);
/* Whether tail is the whole path or its last components. Both must be normalised. */
bool rfs_dwarf_path_ends(const char *path, const char *tail);

#endif
