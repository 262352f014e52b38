/*
 * scope.h - --only, --skip and --changed: the part of the program whose predictions a campaign tests.
 *
 * A pattern is FILE:LINE, FILE:FIRST-LAST, or a glob for the name of a function, a source file, a variable or a module.
 * A file or module also fits by the last components of its path, a function without its parameters.
 */
#ifndef RFS_SCOPE_H
#define RFS_SCOPE_H

#include <stdbool.h>
#include <stddef.h>

struct rfs_suppressible;

struct rfs_scope_pattern {
	char *glob;	      /* owned; without the lines */
	char *text;	      /* as the user wrote it; owned */
	unsigned first, last; /* lines; 0: all */
};

/* Zeroed: the whole program. */
struct rfs_scope {
	struct rfs_scope_pattern *only, *skip; /* owned */
	size_t n_only, n_skip;
	size_t n_changed; /* how many of `only`, at its beginning, rfs_scope_add_lines() added */
};

/* What rfs_scope_leaves_out() returns if `only` leaves it out. A pattern of `skip` has its number plus this number. */
#define RFS_SCOPE_ONLY 1

/* 0, or -EINVAL and a line in why. */
int rfs_scope_add_only(struct rfs_scope *scope, const char *pattern, char *why, size_t n)
	__attribute__((warn_unused_result));
int rfs_scope_add_skip(struct rfs_scope *scope, const char *pattern, char *why, size_t n)
	__attribute__((warn_unused_result));
/* Adds lines of a file to `only`. Call it before rfs_scope_add_only(). */
void rfs_scope_add_lines(struct rfs_scope *scope, const char *file, unsigned first, unsigned last);
void rfs_scope_release(struct rfs_scope *scope);

/* Whether a function, variable, source file or module of this name fits the pattern, in whatever lines. */
bool rfs_scope_pattern_names(const struct rfs_scope_pattern *pattern, const char *name);
/*
 * 0: inside. Otherwise what leaves it out: no pattern of `only` fits any of its accesses, or a pattern of `skip` fits
 * one of them.
 */
size_t rfs_scope_leaves_out(const struct rfs_scope *scope, const struct rfs_suppressible *what);

#endif
