/* compiler.h - runs the C or C++ compiler on a small file, with the user's flags. */
#ifndef RFS_COMPILER_H
#define RFS_COMPILER_H

#include <stdbool.h>
#include <stddef.h>

struct rfs_compiler {
	char **words; /* the program and the flags of --cflags; ends with NULL */
	size_t n;
	bool is_cxx; /* it compiles C++ */
};

/* cflags: words, quoted as for a shell; NULL: none. Uses $CC, or gcc. Returns 0, or -errno and a line in why. */
int rfs_compiler_new(const char *cflags, struct rfs_compiler *out, char *why, size_t n)
	__attribute__((warn_unused_result));
/*
 * Changes to the C++ compiler ($CXX, or g++) if the name of a header ends in .hpp, .hh or .hxx, or if the flags have
 * "-x c++". Call this before the first run.
 */
void rfs_compiler_choose_language(struct rfs_compiler *compiler, const char *const *headers, size_t n_headers);
void rfs_compiler_release(struct rfs_compiler *compiler);

/*
 * Runs the compiler with more words, which end with NULL. Returns 0 if it succeeded; -EINVAL if it failed; another
 * -errno if it cannot be started. *said: what it wrote to standard error; caller frees.
 */
int rfs_compiler_run(const struct rfs_compiler *compiler, const char *const *words, char **said)
	__attribute__((warn_unused_result));

/* The command line of such a run, for a shell. Caller frees. */
char *rfs_compiler_command(const struct rfs_compiler *compiler, const char *const *words);

/* The first line of the compiler's messages that has an error; all lines if none has one. Caller frees. */
char *rfs_compiler_first_error(const char *said);

#endif
