/* suppressions-priv.h - a suppression, which suppressions.c reads and suppression_match.c compares. */
#ifndef RFS_SUPPRESSIONS_PRIV_H
#define RFS_SUPPRESSIONS_PRIV_H

#include "supervisor/import/suppressions.h"

enum rfs_suppression_form {
	RFS_SUPPRESSION_BLOCK, /* stacks */
	RFS_SUPPRESSION_ANY,   /* word: any frame or the variable */
	RFS_SUPPRESSION_TOP,   /* word: an innermost frame or the variable */
	RFS_SUPPRESSION_LIB,   /* word: the module of an innermost frame */
};

enum rfs_suppression_part { RFS_PART_FUNCTION, RFS_PART_MODULE, RFS_PART_FILE, RFS_PART_ANY_FRAMES };

struct rfs_suppression_frame {
	enum rfs_suppression_part part;
	char *glob;    /* NULL: ANY_FRAMES */
	unsigned line; /* FILE: 0: any line */
};

struct rfs_suppression_stack {
	struct rfs_suppression_frame *frames;
	size_t n;
};

struct rfs_suppression {
	char *name, *file;
	unsigned line;
	bool own;
	enum rfs_suppression_form form;
	unsigned kinds;	  /* bits 1 << enum rfs_suppressible_kind; 0: it hides nothing of rfsup */
	const char *only; /* the misuses that it is about, with blanks around each; NULL: all. Static */
	struct rfs_suppression_stack stacks[2];
	size_t n_stacks;
	char *word, *variable; /* globs; NULL: none */
};

/*
 * Whether the glob matches all of the text: '*' is any text. If `one`, '?' is any character.
 */
bool rfs_suppression_glob(const char *glob, const char *text, bool one);

#endif
