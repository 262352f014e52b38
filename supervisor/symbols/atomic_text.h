/*
 * atomic_text.h - whether a source line says that a plain move of it is an atomic load or store. In C, the debug
 * information does not show __atomic_load_n(&x, ...) on a plain int; only the text of the line does.
 */
#ifndef RFS_ATOMIC_TEXT_H
#define RFS_ATOMIC_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* What the source says about one move. */
enum rfs_move_says {
	RFS_MOVE_UNKNOWN, /* nothing: there is no source, or the line has an atomic of something else */
	RFS_MOVE_ATOMIC,
	RFS_MOVE_MEANT, /* the program means an atomic that the language does not know: a volatile cast, or assembly */
	RFS_MOVE_PLAIN, /* the line has no atomic */
};

/* What is known about the name of a macro with parameters. */
enum rfs_macro {
	RFS_MACRO_UNKNOWN,   /* not a macro, or nobody knows what its definition does */
	RFS_MACRO_PLAIN,     /* each definition expands to an ordinary access, whatever its name says */
	RFS_MACRO_ATOMIC,    /* each definition expands to an atomic access */
	RFS_MACRO_MEANT,     /* each definition does, or has a volatile cast or assembly */
	RFS_MACRO_AMBIGUOUS, /* it has several definitions (#ifdef), and one of them is an ordinary access */
};

struct rfs_move_text {
	const char *line;
	unsigned column;      /* of the move, counted from 1; 0: unknown */
	bool writes;	      /* the move is a store */
	const char *variable; /* the static variable that it accesses, such as "stats.hits"; NULL: through a pointer */
	enum rfs_macro (*macro)(void *arg, const char *name, size_t n); /* NULL: no macros are known */
	void *arg;
};

enum rfs_move_says rfs_move_text_says(const struct rfs_move_text *move);

/* Whether the line stores atomically, by a function or an operator, and does nothing else that is atomic. */
bool rfs_text_stores(const char *line);
/*
 * Whether the text has a call of an atomic function: an identifier that begins with "__sync_" or has "atomic" in it,
 * followed by a parenthesis.
 */
bool rfs_text_has_atomic(const char *text);
/* Whether the text has a cast to a volatile object, or assembly. */
bool rfs_text_means_atomic(const char *text);
/*
 * Whether the line accesses a member of this name, as ".NAME" or "->NAME". column: of the access; it must not be inside
 * the expression of another member. 0: unknown. *inside: the column is inside the expression of this member.
 */
bool rfs_text_has_member(const char *line, unsigned column, const char *name, bool *inside);

#endif
