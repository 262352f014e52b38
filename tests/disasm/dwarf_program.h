/* dwarf_program.h - small programs with known debug information. They are compiled while the test runs. */
#ifndef TESTS_DISASM_DWARF_PROGRAM_H
#define TESTS_DISASM_DWARF_PROGRAM_H

#include <limits.h>
#include <stdbool.h>

#include "disasm/dwarf/dwarf.h"

struct program {
	char dir[64];		 /* temporary; program_release() removes it */
	char path[128];		 /* path of the program */
	struct rfs_dwarf *dwarf; /* NULL before program_open() */
};

/* Makes the temporary folder `dir`. */
void program_init(struct program *program);
void program_release(struct program *program);

/* Writes text to the file `name` in the program's folder. Missing folders in `name` are made. */
void program_write(const struct program *program, const char *name, const char *text);
/*
 * Runs a command in the program's folder. Blanks separate its words. Returns false if the command is not installed. If
 * the command fails, the test fails.
 */
bool program_run(const struct program *program, const char *command);
/* Opens the program's debug information. If that fails, or if the information is incomplete, the test fails. */
void program_open(struct program *program);

/*
 * Writes source to the file `name`, compiles it with "COMPILER FLAGS NAME -o program", and opens the result. Returns
 * false if the compiler is not installed.
 */
bool program_build(struct program *program, const char *compiler, const char *flags, const char *name,
		   const char *source);

/* The address of a symbol. If there is no such symbol, the test fails. size may be NULL. */
rfs_addr program_symbol(const struct program *program, const char *name, uint64_t *size);
/* The number of the line of text that contains mark. */
unsigned line_of(const char *text, const char *mark);
/* The lowest address of code of FILE:LINE that f accepts, or 0. A NULL f accepts all code. */
rfs_addr code_of(const struct program *program, const char *file, unsigned line,
		 bool (*f)(const struct rfs_dwarf *dwarf, rfs_addr vaddr));

/*
 * The name and offset (such as "stats.hits") of the variable at vaddr, or "" if there is no variable. Borrowed until
 * the next call. atomicity may be NULL.
 */
const char *variable_at(const struct program *program, rfs_addr vaddr, enum rfs_atomicity *atomicity);

#endif
