/*
 * dwarf_read-priv.h - the reader. It makes nodes from libdwarf's entries (dwarf_read.c, dwarf_attr.c), rows from line
 * tables (dwarf_lines.c), and tables from the nodes (dwarf_frames.c, dwarf_types.c).
 *
 * Nodes are needed for two reasons. An entry may refer to any other entry in the file (abstract origins,
 * specifications, types). And libdwarf does not give an entry's parent. All of this runs in the child process that
 * dwarf.c starts.
 */
#ifndef RFS_DWARF_READ_PRIV_H
#define RFS_DWARF_READ_PRIV_H

#include <libdwarf/libdwarf.h>

#include "disasm/dwarf/dwarf-priv.h"

/* A reference to an entry: its offset in .debug_info. The two bits below mark other kinds of references. */
typedef uint64_t rfs_dwarf_ref;
#define RFS_DWARF_NO_REF UINT64_MAX
#define RFS_DWARF_REF_TYPES (1ull << 63)     /* the rest is an offset in .debug_types */
#define RFS_DWARF_REF_SIGNATURE (1ull << 62) /* the rest is an index into reader->wanted, of a type's signature */

enum rfs_dwarf_node_flags {
	RFS_DWARF_DECLARATION = 1, /* a declaration, or a static member of a class */
	RFS_DWARF_LOCATED = 2,	   /* DW_TAG_variable with a static address, which is in `location` */
	RFS_DWARF_COUNTED = 4,	   /* DW_TAG_subrange_type whose number of elements is in `size` */
	/* DW_TAG_variable on the stack: `location` is its offset from the frame base of its function */
	RFS_DWARF_FRAMED = 8,
	/* DW_TAG_subprogram: `location` is the offset of its frame base from the canonical frame address */
	RFS_DWARF_BASED = 16,
	RFS_DWARF_IN_BLOCK = 32, /* the entry is in a block of its function */
	RFS_DWARF_ON_RSP = 64,	 /* DW_TAG_subprogram whose frame base is the stack pointer */
};

/* An entry that is kept. Nodes are in the order of the file. */
struct rfs_dwarf_node {
	/* type: DW_AT_type, or DW_AT_signature of a declared class; origin: DW_AT_abstract_origin or
	 * DW_AT_specification */
	rfs_dwarf_ref self, type, origin;
	uint64_t size;	   /* DW_AT_byte_size; member: bytes of its bit-field or 0; subrange: number of elements */
	uint64_t location; /* variable: its address or int64_t offset; member: its offset; function: see RFS_DWARF_BASED
			    */
	uint32_t parent;   /* the nearest enclosing node, or RFS_DWARF_NONE */
	uint32_t end;	   /* the index after its last descendant */
	uint32_t unit;
	uint32_t name, linkage;	  /* strings; 0: none */
	uint32_t range, n_ranges; /* its code: n_ranges rows of reader->ranges from `range` on */
	uint32_t call_file, call_line, call_column;
	uint32_t made;	    /* index + 1 of the frame or type made from it; 0: none yet */
	uint32_t qualified; /* string + 1 of its qualified name; 0: not yet made */
	uint32_t display;   /* string + 1 of its demangled name; 0: not yet made */
	uint16_t tag;
	uint8_t flags;
	uint8_t holds_atomic; /* UNKNOWN, NO, YES or BUSY in dwarf_types.c */
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
	struct rfs_dwarf_array nodes;	   /* rfs_dwarf_node, sorted by self */
	struct rfs_dwarf_array ranges;	   /* rfs_dwarf_range */
	struct rfs_dwarf_array code, data; /* rfs_dwarf_range, ascending: where the module has code and data */
	struct rfs_dwarf_array signatures; /* rfs_dwarf_signature; sorted once all units are read */
	struct rfs_dwarf_array wanted;	   /* uint64_t: signatures that entries refer to */
	/* For dwarf_lines.c: the rows of all units, their sequences, and the file index of each path. */
	struct rfs_dwarf_array rows, sequences;
	struct rfs_dwarf_path *paths;
	const uint8_t *line_table; /* for dwarf_first_file.c: .debug_line; NULL if it cannot be read */
	size_t line_size;
	/* for dwarf_frame_size.c: the entries of .eh_frame; NULL: none, or not asked for yet */
	Dwarf_Fde *frames;
	bool asked_frames;

	/* The unit that is being read now. */
	struct {
		uint32_t index;
		uint16_t version;
		uint8_t address_size;
		bool in_types;	 /* the unit is in .debug_types */
		rfs_addr base;	 /* DW_AT_low_pc; offsets in .debug_ranges are relative to it */
		uint32_t *files; /* by file number: index in RFS_DWARF_FILES; RFS_DWARF_NONE if not in the table */
		size_t n_files;
		rfs_dwarf_ref last; /* the last entry that was read; offsets of entries must ascend */
		bool in_block;	    /* the walk is in a block of a function */
		Dwarf_Die die;	    /* the unit's first entry */
	} unit;
	size_t n_units, n_damaged;
};

static inline struct rfs_dwarf_node *rfs_dwarf_node(const struct rfs_dwarf_reader *reader, size_t i)
{
	return (struct rfs_dwarf_node *)reader->nodes.rows + i;
}

/* Reads the debug information of the object file open as fd into the reader's tables. Returns 0, and why says what had
 * to be left out ("": nothing). Or returns -errno, and why says the reason. */
int rfs_dwarf_read(struct rfs_dwarf_reader *reader, int fd, char *why, size_t n) __attribute__((warn_unused_result));

/* -- dwarf_file.c: which file -- */

/* Opens the file with the debug information of the ELF file at path: that file itself or a separate one. Notes where
 * the module has code and data. Returns a descriptor; or -errno, and why says the reason. */
int rfs_dwarf_find(struct rfs_dwarf_reader *reader, const char *path, char *why, size_t n)
	__attribute__((warn_unused_result));
/* Whether vaddr is in one of the ranges. */
bool rfs_dwarf_range_holds(const struct rfs_dwarf_array *ranges, rfs_addr vaddr);

/* -- dwarf_attr.c: attributes -- */

/* Fills node from the attributes of die. Returns 0, or -EBADMSG if they cannot be read. */
int rfs_dwarf_attributes(struct rfs_dwarf_reader *reader, Dwarf_Die die, struct rfs_dwarf_node *node)
	__attribute__((warn_unused_result));
/* Language and low pc from the first entry of a unit; 0 if missing. */
void rfs_dwarf_unit_attributes(Dwarf_Die die, uint16_t *language, rfs_addr *low_pc);

/* -- dwarf_lines.c: line tables -- */

/* Reads the line table of the unit whose first entry is die, and sets files and n_files of reader->unit. Returns 0 or
 * -EBADMSG. */
int rfs_dwarf_read_lines(struct rfs_dwarf_reader *reader, Dwarf_Die die) __attribute__((warn_unused_result));
/* Sorts the rows of all units into RFS_DWARF_ROWS. */
void rfs_dwarf_make_rows(struct rfs_dwarf_reader *reader);

/* -- dwarf_first_file.c: corrects what libdwarf gets wrong in line tables of version 5 -- */

/* Finds .debug_line in the object file open as fd. */
void rfs_dwarf_line_section(struct rfs_dwarf_reader *reader, int fd);
/*
 * Adds one uint32_t to out for each sequence of die's line table: the number of its rows before it names a file. These
 * rows are of file 1. False if the table is damaged or not of version 5; out must not be used then.
 */
bool rfs_dwarf_first_files(const struct rfs_dwarf_reader *reader, Dwarf_Die die, struct rfs_dwarf_array *out);

/* -- dwarf_frame_size.c: .eh_frame -- */

/*
 * How far below the canonical frame address the stack pointer is in the body of the function that begins there. False
 * if that is not known or not constant.
 */
bool rfs_dwarf_frame_size(struct rfs_dwarf_reader *reader, rfs_addr function, uint64_t *size);

/* -- dwarf_names.c: references and names -- */

/* The node that ref refers to; RFS_DWARF_NONE if it was not kept. Call this only after all nodes were read. */
uint32_t rfs_dwarf_resolve(const struct rfs_dwarf_reader *reader, rfs_dwarf_ref ref);
/* The last node of the chain of origins (instance, abstract instance, declaration); node itself if it has no origin. */
uint32_t rfs_dwarf_origin(const struct rfs_dwarf_reader *reader, uint32_t node);
/* The qualified name as a string offset, such as ns::Class::name, without parameters; 0 if it has none. */
uint32_t rfs_dwarf_qualified(struct rfs_dwarf_reader *reader, uint32_t node);
/* The name to show as a string offset, such as ns::Class::method(int) or the plain name of a C function; 0 if it has
 * none. */
uint32_t rfs_dwarf_display(struct rfs_dwarf_reader *reader, uint32_t node);
/* Whether a function or class of this qualified name implements atomic objects. */
enum rfs_dwarf_library rfs_dwarf_atomic_name(const char *qualified);

/* -- dwarf_frames.c, dwarf_types.c: tables -- */

/* Makes RFS_DWARF_FRAMES and RFS_DWARF_SPANS. */
void rfs_dwarf_make_frames(struct rfs_dwarf_reader *reader);
/* The frame that contains a variable or an inlined function: its nearest ancestor with code; RFS_DWARF_NONE if there is
 * none. Call this only after rfs_dwarf_make_frames(). */
uint32_t rfs_dwarf_parent_frame(const struct rfs_dwarf_reader *reader, const struct rfs_dwarf_node *node);
/* Makes RFS_DWARF_VARIABLES, RFS_DWARF_LOCALS, RFS_DWARF_TYPES, RFS_DWARF_MEMBERS, RFS_DWARF_ATOMICS and
 * RFS_DWARF_NAMED. */
void rfs_dwarf_make_variables(struct rfs_dwarf_reader *reader);

#endif
