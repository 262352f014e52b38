/*
 * elf-priv.h - the members of struct rfs_elf, which the elf_*.c files share.
 */
#ifndef RFS_ELF_PRIV_H
#define RFS_ELF_PRIV_H

#include <gelf.h>

#include "disasm/elf/elf.h"

struct rfs_elf_symbol {
	const char *name; /* without version */
	rfs_addr vaddr;
	uint64_t size;
	enum rfs_symbol_type type;
	bool is_default; /* the default version of the symbol, not a hidden one */
	bool global;
};

/* The name of a PLT entry or GOT slot: the function to which it leads. */
struct rfs_elf_name {
	rfs_addr vaddr;
	const char *name;
	rfs_addr entry; /* address of that function or IFUNC, which may have other names in this file; 0: it is
			   imported */
};

/* A growing array. */
struct rfs_list {
	void *data;
	size_t n, room;
};

struct rfs_elf {
	char *path, *interpreter, *soname;
	char *warning;
	char build_id[129];
	bool position_independent, go, relocates_code;
	rfs_addr entry, dynamic;
	uint8_t *image; /* the whole file */
	size_t image_size;
	struct rfs_list segments;  /* struct rfs_segment, ascending */
	struct rfs_list functions; /* struct rfs_function, ascending, no overlaps */
	struct rfs_list symbols;   /* struct rfs_elf_symbol, ascending by name */
	struct rfs_list entries;  /* struct rfs_elf_symbol of type FUNCTION and IFUNC, ascending by vaddr; at one vaddr,
				     the best name is first */
	struct rfs_list objects;  /* struct rfs_elf_symbol of type OBJECT, ascending by vaddr */
	struct rfs_list plt;	  /* struct rfs_elf_name, ascending */
	struct rfs_list slots;	  /* struct rfs_elf_name, ascending */
	struct rfs_list stubs;	  /* struct rfs_code_range: the PLT sections */
	struct rfs_list code;	  /* struct rfs_code_range, see rfs_elf_code() */
	struct rfs_list frames;	  /* struct rfs_code_range: the code that .eh_frame describes, ascending */
	struct rfs_list needed;	  /* char *: DT_NEEDED, owned */
	struct rfs_list marks;	  /* struct rfs_elf_mark, ascending by vaddr */
	struct rfs_list requests; /* rfs_addr, ascending: client requests of Valgrind */
	struct rfs_list strings;  /* char *: copies of names that contained a version */
	bool out_of_memory;	  /* rfs_elf_append() failed; rfs_elf_open() then returns -ENOMEM */
};

/* Appends one element of size bytes. If memory is exhausted, sets elf->out_of_memory. */
void rfs_elf_append(struct rfs_elf *elf, struct rfs_list *list, const void *element, size_t size);
/* Keeps a warning that a table could not be read. Only the first warning is kept. */
void rfs_elf_warn(struct rfs_elf *elf, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Returns n bytes of the file from offset on, or NULL if the file does not contain them all. Borrowed from the elf. */
const uint8_t *rfs_elf_bytes(const struct rfs_elf *elf, uint64_t offset, uint64_t n);
/* Whether vaddr is in one of the ranges of rfs_elf_code(). */
bool rfs_elf_is_code(const struct rfs_elf *elf, rfs_addr vaddr);

/* elf_frames.c: fills elf->frames from the .eh_frame section, which has size bytes at offset and is loaded at vaddr. */
void rfs_elf_read_frames(struct rfs_elf *elf, uint64_t offset, uint64_t size, rfs_addr vaddr);
/* The same for a file without section headers, from its PT_GNU_EH_FRAME segment. */
void rfs_elf_find_frames(struct rfs_elf *elf, uint64_t offset, uint64_t size, rfs_addr vaddr);

/* elf_functions.c. rfs_elf_sort_symbols() sorts the symbols and fills `entries` and `objects`. After it,
 * rfs_elf_merge_functions() makes `functions` from `entries` and `frames`. */
void rfs_elf_sort_symbols(struct rfs_elf *elf);
void rfs_elf_merge_functions(struct rfs_elf *elf);

/* elf_sections.c: reads everything that is found through section headers. */
void rfs_elf_read_sections(struct rfs_elf *elf, Elf *handle);

/* elf_marks.c: adds the marks of a section .note.rfsup; sorts them when all are known. */
void rfs_elf_read_marks(struct rfs_elf *elf, uint64_t offset, uint64_t size);
void rfs_elf_sort_marks(struct rfs_elf *elf);
/* elf_marks.c: finds the client requests in the segments. */
void rfs_elf_find_requests(struct rfs_elf *elf);

/* elf_plt.c */
/* Names the slots that the relocations of one SHT_RELA section fill. symbols, strings: the symbol table of that
 * section, or NULL. got: the ranges of the GOT. */
void rfs_elf_read_slots(struct rfs_elf *elf, Elf_Data *relocations, Elf_Data *symbols, const char *strings,
			size_t strings_size, const struct rfs_list *got);
/* Names the stubs of one PLT section, each of `step` bytes. Call it when all slots are known and sorted. */
void rfs_elf_read_stubs(struct rfs_elf *elf, const struct rfs_code_range *section, unsigned step);
void rfs_elf_sort_names(struct rfs_list *names);

/* The string at offset of a table of size bytes, or NULL if the string does not end inside the table. */
const char *rfs_elf_string(const char *table, size_t size, size_t offset);

#endif
