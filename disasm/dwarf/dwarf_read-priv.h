/*
 * dwarf_read-priv.h - the reader: libdwarf's entries become nodes (dwarf_read.c, dwarf_attr.c, dwarf_lines.c), the
 * nodes become tables (dwarf_frames.c, dwarf_types.c).
 *
 * Two steps, because an entry may refer to others anywhere in the file (abstract origins, specifications, types), and
 * libdwarf does not give an entry's parent. All of it runs in the child of dwarf.c.
 */
#ifndef RFS_DWARF_READ_PRIV_H
#define RFS_DWARF_READ_PRIV_H

#include <libdwarf/libdwarf.h>

#include "disasm/dwarf/dwarf-priv.h"

/* A reference to an entry: its offset in .debug_info, tagged if it is elsewhere. */
typedef uint64_t rfs_dwarf_ref;
#define RFS_DWARF_NO_REF UINT64_MAX
#define RFS_DWARF_REF_TYPES (1ull << 63)     /* offset in .debug_types */
#define RFS_DWARF_REF_SIGNATURE (1ull << 62) /* index into reader->wanted: known by its signature only */

enum rfs_dwarf_node_flags {
	RFS_DWARF_DECLARATION = 1, /* declaration, or the external (static) member of a class */
	RFS_DWARF_LOCATED = 2,	   /* VARIABLE: location is its address */
	RFS_DWARF_COUNTED = 4,	   /* SUBRANGE: size is its count of elements */
};

/* An entry of interest, in the order of the file. */
struct rfs_dwarf_node {
	/* type: DW_AT_type, of a declared class DW_AT_signature; origin: DW_AT_abstract_origin or DW_AT_specification
	 */
	rfs_dwarf_ref self, type, origin;
	uint64_t size;	   /* DW_AT_byte_size; of a member: bytes of its bit-field or 0; of a subrange: count */
	uint64_t location; /* address of a variable, offset of a member */
	uint32_t parent;   /* nearest enclosing node or RFS_DWARF_NONE */
	uint32_t end;	   /* index after its last descendant */
	uint32_t unit;
	uint32_t name, linkage;	  /* strings, 0 none */
	uint32_t range, n_ranges; /* in reader->ranges */
	uint32_t call_file, call_line, call_column;
	uint32_t made;	    /* index + 1 of the frame or type made of it, 0 none yet */
	uint32_t qualified; /* string + 1 of its qualified name, 0 not yet composed */
	uint32_t display;   /* string + 1 of its demangled name, 0 not yet known */
	uint16_t tag;
	uint8_t flags;
	uint8_t holds_atomic; /* 0 not yet known, 1 no, 2 yes, 3 being found out */
};

struct rfs_dwarf_range {
	rfs_addr start, end;
};

struct rfs_dwarf_signature {
	uint64_t signature;
	rfs_dwarf_ref type;
};

struct rfs_dwarf_reader {
	Dwarf_Debug dbg;
	struct rfs_dwarf_tables tables;
	struct rfs_dwarf_array nodes;	   /* rfs_dwarf_node, ascending by self */
	struct rfs_dwarf_array ranges;	   /* rfs_dwarf_range */
	struct rfs_dwarf_array code, data; /* rfs_dwarf_range: where the module has code and data, ascending */
	struct rfs_dwarf_array signatures; /* rfs_dwarf_signature, ascending once all is read */
	struct rfs_dwarf_array wanted;	   /* uint64_t: signatures referred to */
	/* Of dwarf_lines.c: the rows of all units, their sequences, and the number of each file's path. */
	struct rfs_dwarf_array rows, sequences;
	struct rfs_dwarf_path *paths;
	const uint8_t *line_table; /* of dwarf_first_file.c: .debug_line, NULL if unavailable */
	size_t line_size;

	/* The unit that is being read. */
	struct {
		uint32_t index;
		uint16_t version;
		uint8_t address_size;
		bool in_types;	 /* lies in .debug_types */
		rfs_addr base;	 /* DW_AT_low_pc, what .debug_ranges are relative to */
		uint32_t *files; /* file number -> file, RFS_DWARF_NONE if the table does not have it */
		size_t n_files;
		rfs_dwarf_ref last; /* of the entry read last; they must ascend */
		Dwarf_Die die;	    /* its first entry */
	} unit;
	size_t n_units, n_damaged;
};

static inline struct rfs_dwarf_node *rfs_dwarf_node(const struct rfs_dwarf_reader *reader, size_t i)
{
	return (struct rfs_dwarf_node *)reader->nodes.rows + i;
}

/* Reads the debug information that the object open as fd has into the reader's tables. 0 and a line (or "") in why on
 * what had to be left out, or -errno and the reason. */
int rfs_dwarf_read(struct rfs_dwarf_reader *reader, int fd, char *why, size_t n) __attribute__((warn_unused_result));

/* -- dwarf_file.c: which file -- */

/* Opens the file that holds the debug information of the ELF file at path (itself or a separate one) and notes where
 * the module has code and data. A descriptor, or -errno and the reason. */
int rfs_dwarf_find(struct rfs_dwarf_reader *reader, const char *path, char *why, size_t n)
	__attribute__((warn_unused_result));
/* Whether vaddr lies in one of the ranges. */
bool rfs_dwarf_range_holds(const struct rfs_dwarf_array *ranges, rfs_addr vaddr);

/* -- dwarf_attr.c: attributes -- */

/* Fills node from the attributes of die. 0, or -EBADMSG if they cannot be read. */
int rfs_dwarf_attributes(struct rfs_dwarf_reader *reader, Dwarf_Die die, struct rfs_dwarf_node *node)
	__attribute__((warn_unused_result));
/* What the first entry of a unit says. */
void rfs_dwarf_unit_attributes(Dwarf_Die die, uint16_t *language, rfs_addr *low_pc);

/* -- dwarf_lines.c: line tables -- */

/* Reads the line table of the unit that die begins, and its file numbers into reader->unit. 0, or -EBADMSG. */
int rfs_dwarf_read_lines(struct rfs_dwarf_reader *reader, Dwarf_Die die) __attribute__((warn_unused_result));
/* Puts the rows of all units in order into RFS_DWARF_ROWS. */
void rfs_dwarf_make_rows(struct rfs_dwarf_reader *reader);

/* -- dwarf_first_file.c: what libdwarf gets wrong in line tables of version 5 -- */

/* Finds .debug_line in the object open as fd. */
void rfs_dwarf_line_section(struct rfs_dwarf_reader *reader, int fd);
/*
 * Adds to out, for each sequence of die's line table, how many of its rows (uint32_t) come before it names a file:
 * theirs is file 1. False if the table is damaged or of another version; then out must not be used.
 */
bool rfs_dwarf_first_files(const struct rfs_dwarf_reader *reader, Dwarf_Die die, struct rfs_dwarf_array *out);

/* -- dwarf_names.c: references and names -- */

/* The node that ref names, RFS_DWARF_NONE if it was not kept. Call it once all nodes are read. */
uint32_t rfs_dwarf_resolve(const struct rfs_dwarf_reader *reader, rfs_dwarf_ref ref);
/* The node that declares what node is an instance of: the end of its chain of origins (itself if it has none). */
uint32_t rfs_dwarf_origin(const struct rfs_dwarf_reader *reader, uint32_t node);
/* ns::Class::name, without parameters; strings. 0 if it has no name. */
uint32_t rfs_dwarf_qualified(struct rfs_dwarf_reader *reader, uint32_t node);
/* ns::Class::method(int), or the plain name of a C function; 0 if it has no name. */
uint32_t rfs_dwarf_display(struct rfs_dwarf_reader *reader, uint32_t node);
/* Whether a qualified name belongs to the library that implements atomic objects. */
enum rfs_dwarf_library rfs_dwarf_atomic_name(const char *qualified);

/* -- dwarf_frames.c, dwarf_types.c: tables -- */

/* Makes RFS_DWARF_FRAMES and RFS_DWARF_SPANS. */
void rfs_dwarf_make_frames(struct rfs_dwarf_reader *reader);
/* Makes RFS_DWARF_VARIABLES, RFS_DWARF_TYPES, RFS_DWARF_MEMBERS and RFS_DWARF_ATOMICS. */
void rfs_dwarf_make_variables(struct rfs_dwarf_reader *reader);

#endif
