/*
 * elf.h - what an ELF file says about itself, read once and copied out of libelf.
 *
 * All addresses are the file's own virtual addresses ("vaddr"). The caller knows where the file is mapped, and adds the
 * bias. Functions come from .symtab and .dynsym and, for stripped files, from the ranges in .eh_frame.
 */
#ifndef RFS_ELF_H
#define RFS_ELF_H

#include <stdbool.h>
#include <stddef.h>

#include "disasm/addr.h"

struct rfs_elf;

/* A function: [start, end). name is NULL if only .eh_frame describes the function. Functions are sorted by start and do
 * not overlap. */
struct rfs_function {
	rfs_addr start, end;
	const char *name; /* as in the symbol table (mangled); borrowed from the elf */
};

/* A PT_LOAD segment. */
struct rfs_segment {
	rfs_addr vaddr;
	uint64_t memsz, filesz, offset;
	bool read, write, exec;
};

/* A range of code: [start, end). */
struct rfs_code_range {
	rfs_addr start, end;
};

/*
 * Reads the file. Returns 0 and *out (free with rfs_elf_free()), or -errno and a line in why (at most n bytes) that
 * tells the user what is wrong with the file. The errors are -ENOENT, -EISDIR, -EACCES, -ENOMEM and -ENOEXEC (not ELF,
 * truncated, corrupt, 32-bit, another architecture, not an executable or shared object).
 *
 * If the file can be loaded, damaged symbol, relocation or frame tables are not an error: they count as absent, and
 * rfs_elf_warning() reports them.
 */
int rfs_elf_open(const char *path, struct rfs_elf **out, char *why, size_t n) __attribute__((warn_unused_result));
void rfs_elf_free(struct rfs_elf *elf);

/* A line for the user that says what could not be read, or NULL. Borrowed. */
const char *rfs_elf_warning(const struct rfs_elf *elf);
const char *rfs_elf_path(const struct rfs_elf *elf);
/* The build ID in lower-case hex, "" if there is none. Borrowed. */
const char *rfs_elf_build_id(const struct rfs_elf *elf);
/* The interpreter's path, NULL for a static file or a library. Borrowed. */
const char *rfs_elf_interpreter(const struct rfs_elf *elf);
/* DT_SONAME or NULL. Borrowed. */
const char *rfs_elf_soname(const struct rfs_elf *elf);
/* The names of the libraries that the file is linked with (DT_NEEDED). Borrowed. Returns how many. */
size_t rfs_elf_needed(const struct rfs_elf *elf, char *const **out);
bool rfs_elf_position_independent(const struct rfs_elf *elf);
/* Whether Go's linker made the file. It then contains Go's own scheduler. Stripping the file does not hide that. */
bool rfs_elf_is_go(const struct rfs_elf *elf);
rfs_addr rfs_elf_entry(const struct rfs_elf *elf);
/* Whether the loader changes the code (DT_TEXTREL), so that the file does not have the instructions that execute. */
bool rfs_elf_relocates_code(const struct rfs_elf *elf);

/* The vaddr of the dynamic section, 0 if there is none. */
rfs_addr rfs_elf_dynamic(const struct rfs_elf *elf);

/* All PT_LOAD segments, ascending by vaddr. Borrowed. Returns how many. */
size_t rfs_elf_segments(const struct rfs_elf *elf, const struct rfs_segment **out);
/* All functions, ascending. Borrowed. Returns how many. A function without a size ends at the next symbol or FDE. */
size_t rfs_elf_functions(const struct rfs_elf *elf, const struct rfs_function **out);
/* The function that holds vaddr, or NULL. Borrowed. */
const struct rfs_function *rfs_elf_function_at(const struct rfs_elf *elf, rfs_addr vaddr);
/* Whether the function's end is certain: it has a size, or .eh_frame describes it. Otherwise data may follow. */
bool rfs_elf_is_bounded(const struct rfs_elf *elf, const struct rfs_function *f);
/* Executable sections, or executable segments if the file has no sections. Borrowed. Returns how many. */
size_t rfs_elf_code(const struct rfs_elf *elf, const struct rfs_code_range **out);

/* Calls f for every defined symbol (functions, IFUNCs, objects, thread-local variables) of .symtab and .dynsym. name
 * has no version suffix. */
enum rfs_symbol_type { RFS_SYMBOL_FUNCTION, RFS_SYMBOL_IFUNC, RFS_SYMBOL_OBJECT, RFS_SYMBOL_TLS };
void rfs_elf_each_symbol(const struct rfs_elf *elf,
			 void (*f)(void *arg, const char *name, rfs_addr vaddr, uint64_t size,
				   enum rfs_symbol_type type),
			 void *arg);
/*
 * Finds a defined symbol by its exact name. If it has several versions, finds the default one. vaddr and size may be
 * NULL. False if there is none.
 */
bool rfs_elf_symbol(const struct rfs_elf *elf, const char *name, rfs_addr *vaddr, uint64_t *size);
/* The name of the data object that contains vaddr, and the offset of vaddr in it. Borrowed. NULL if there is none. */
const char *rfs_elf_object_at(const struct rfs_elf *elf, rfs_addr vaddr, uint64_t *offset);

/*
 * The name of the function to which the PLT entry, or the GOT slot, at exactly vaddr leads. NULL if there is no such
 * entry or slot. Covers .plt, .plt.sec, .plt.got, and IRELATIVE slots of static files. Borrowed.
 */
const char *rfs_elf_plt_name(const struct rfs_elf *elf, rfs_addr vaddr);
const char *rfs_elf_slot_name(const struct rfs_elf *elf, rfs_addr vaddr);
/* Whether the file calls this function of another file. */
bool rfs_elf_imports(const struct rfs_elf *elf, const char *name);
/* True if vaddr is in a section of PLT stubs. */
bool rfs_elf_in_plt(const struct rfs_elf *elf, rfs_addr vaddr);
/* The best name of the function or IFUNC at exactly vaddr, or NULL. Borrowed. */
const char *rfs_elf_entry_name(const struct rfs_elf *elf, rfs_addr vaddr);
/* The best name that `wanted` accepts, among all names of a function; NULL if there is none. The function is the one at
 * exactly vaddr, or the one to which the PLT stub or the GOT slot at vaddr leads. Borrowed. */
const char *rfs_elf_entry_match(const struct rfs_elf *elf, rfs_addr vaddr, bool (*wanted)(const char *name));
const char *rfs_elf_plt_match(const struct rfs_elf *elf, rfs_addr vaddr, bool (*wanted)(const char *name));
const char *rfs_elf_slot_match(const struct rfs_elf *elf, rfs_addr vaddr, bool (*wanted)(const char *name));

/* A mark of policy/rfsup.h: a nop in the code, and for an assertion the code that checks its condition (otherwise 0).
 */
struct rfs_elf_mark {
	uint32_t kind;
	rfs_addr vaddr, target;
};
/* All marks, ascending by vaddr. Borrowed. Returns how many. */
size_t rfs_elf_marks(const struct rfs_elf *elf, const struct rfs_elf_mark **out);
/* The mark at exactly vaddr, or NULL. Borrowed. */
const struct rfs_elf_mark *rfs_elf_mark_at(const struct rfs_elf *elf, rfs_addr vaddr);

/* Where client requests of Valgrind (valgrind/valgrind.h) begin, ascending. Borrowed. Returns how many. */
size_t rfs_elf_requests(const struct rfs_elf *elf, const rfs_addr **out);

/* Copies up to n bytes of what the file has at vaddr, before relocation; .bss is zero. Returns how many. */
size_t rfs_elf_read(const struct rfs_elf *elf, rfs_addr vaddr, void *buf, size_t n);

#endif
