/*
 * hints.h - the file of --hints: what the user knows of a library and its headers do not say. One hint a line; "#"
 * begins a comment. A word with blanks is quoted as in C.
 *
 *	type GLOB safe|unsafe			what the documentation promises
 *	constructor FUNCTION			makes objects
 *	destructor FUNCTION			ends the life of its first object, so tests do not call it
 *	method FUNCTION				uses its first object, although its name sounds like the end
 *	handle NAME MAKER GLOB...		the void * that MAKER returns is an object of the type NAME, and so is
 *						the first void * of functions that match a glob
 *	call FUNCTION WORD...			a call with these arguments; "_" is any value. For functions with a
 *						variable number of arguments
 *	skip GLOB				never call these functions
 *	param FUNCTION N length-of M		parameter N is the length of what parameter M points to
 *	param FUNCTION N values WORD...		the only values for parameter N; the first parameter is 0
 *	thread-start FUNCTION			each thread of a test calls it first
 *	thread-end FUNCTION			each thread of a test calls it last
 */
#ifndef RFS_LIBRARY_HINTS_H
#define RFS_LIBRARY_HINTS_H

#include <stdbool.h>
#include <stddef.h>

enum rfs_library_hint_kind {
	RFS_LIBRARY_HINT_SAFE,
	RFS_LIBRARY_HINT_UNSAFE,
	RFS_LIBRARY_HINT_CONSTRUCTOR,
	RFS_LIBRARY_HINT_DESTRUCTOR,
	RFS_LIBRARY_HINT_METHOD,
	RFS_LIBRARY_HINT_HANDLE,
	RFS_LIBRARY_HINT_CALL,
	RFS_LIBRARY_HINT_SKIP,
	RFS_LIBRARY_HINT_LENGTH,
	RFS_LIBRARY_HINT_VALUES,
	RFS_LIBRARY_HINT_THREAD_START,
	RFS_LIBRARY_HINT_THREAD_END,
};

struct rfs_hint_word {
	char *text;
	bool quoted;
	unsigned column; /* from 1 */
};

struct rfs_library_hint {
	enum rfs_library_hint_kind kind;
	unsigned line;		       /* from 1 */
	struct rfs_hint_word name;     /* of a type or function */
	struct rfs_hint_word *numbers; /* LENGTH and VALUES: the words with the numbers of the parameters */
	size_t parameter, buffer;      /* the numbers; buffer: LENGTH only */
	struct rfs_hint_word *values;  /* VALUES; HANDLE: the maker and the globs; CALL: the arguments */
	size_t n_values;
};

struct rfs_library_hints {
	char *path; /* for messages */
	struct rfs_library_hint *list;
	size_t n;
};

/*
 * rfs_hints_read() reads a file, rfs_hints_parse() the bytes of one; path is for messages. 0 (release with
 * rfs_hints_release()), or -errno and a line in why: file, line, column, and what to do.
 */
int rfs_hints_read(const char *path, struct rfs_library_hints *out, char *why, size_t n)
	__attribute__((warn_unused_result));
int rfs_hints_parse(const char *path, const char *text, size_t size, struct rfs_library_hints *out, char *why, size_t n)
	__attribute__((warn_unused_result));
void rfs_hints_release(struct rfs_library_hints *hints);

/* A message that begins with the place of a word. Returns -EINVAL. */
int rfs_hint_refuse(const struct rfs_library_hints *hints, unsigned line, unsigned column, char *why, size_t n,
		    const char *format, ...) __attribute__((format(printf, 6, 7)));

/* The names of all hints of this kind. Ends with NULL. The names are borrowed; the caller frees the array. */
const char **rfs_hints_names(const struct rfs_library_hints *hints, enum rfs_library_hint_kind kind);

#endif
