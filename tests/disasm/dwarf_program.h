/* dwarf_program.h - small programs, compiled while the test runs, whose debug information is known. */
#ifndef TESTS_DISASM_DWARF_PROGRAM_H
#define TESTS_DISASM_DWARF_PROGRAM_H

#include <limits.h>
#include <stdbool.h>

#include "disasm/dwarf/dwarf.h"

struct program {
	char dir[64];		 /* temporary, removed by program_release */
	char path[128];		 /* of the program */
	struct rfs_dwarf *dwarf; /* NULL until program_open */
};

/* Makes the temporary folder. */
void program_init(struct program *program);
void program_release(struct program *program);

/* Writes text to the file `name` in the program's folder (and the folder `name` is in). */
void program_write(const struct program *program, const char *name, const char *text);
/*
 * Runs a command, words separated by blanks, in the program's folder. False if it is not installed; fails the test if
 * it fails.
 */
bool program_run(const struct program *program, const char *command);
/* Opens the program's debug information; fails the test if that fails or is incomplete. */
void program_open(struct program *program);

/*
 * Writes source as `name`, compiles it with "COMPILER FLAGS NAME -o program" and opens it. False if there is no such
 * compiler.
 */
bool program_build(struct program *program, const char *compiler, const char *flags, const char *name,
		   const char *source);

/* The address of a symbol; fails the test if there is none. size may be NULL. */
rfs_addr program_symbol(const struct program *program, const char *name, uint64_t *size);
/* The line of text that holds mark. */
unsigned line_of(const char *text, const char *mark);
/* The start of the first code of FILE:LINE that f accepts (NULL: any), 0 if there is none. */
rfs_addr code_of(const struct program *program, const char *file, unsigned line,
		 bool (*f)(const struct rfs_dwarf *dwarf, rfs_addr vaddr));

/*
 * The expression of the variable at vaddr, "" if there is none. Borrowed until the next call; atomicity may be NULL.
 */
const char *variable_at(const struct program *program, rfs_addr vaddr, enum rfs_atomicity *atomicity);

#endif
