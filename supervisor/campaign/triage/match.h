/*
 * match.h - finds the code of the program under test that the report of another tool means.
 *
 * A report may have been made with another build of the program, such as the one with ThreadSanitizer. If the build-id
 * of the report is that of a module here, its offset counts. If not, file, line and function do. Reports of Valgrind
 * have addresses, but do not say where a module was loaded. The function gives the place if the rest fits.
 */
#ifndef RFS_MATCH_H
#define RFS_MATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rfs_import_access;
struct rfs_import_frame;
struct rfs_import_report;
struct rfs_import_stack;
struct rfs_site_ref;
struct rfs_symbols;
struct rfs_match;

/* How a place was found; the weakest of both sides counts for a report. */
enum rfs_match_how {
	RFS_MATCH_OFFSET,   /* by its offset in the same build */
	RFS_MATCH_UNNAMED,  /* by its offset in a module of the same name; the report does not name the build */
	RFS_MATCH_LINE,	    /* by file and line */
	RFS_MATCH_NEAR,	    /* by the nearest line of the function that has such an access */
	RFS_MATCH_FUNCTION, /* by the function alone */
	RFS_MATCH_VARIABLE, /* the other access is of another report of the same memory, or a run has shown it */
};
const char *rfs_match_how_text(enum rfs_match_how how); /* "line". Static. */

/* A module of the program. The strings are borrowed. */
struct rfs_match_input {
	const char *path, *build_id;
	bool watched;
};

/* Borrows symbols and the modules' strings. The program is the first module. The caller frees the result with
 * rfs_match_free(). */
struct rfs_match *rfs_match_new(struct rfs_symbols *symbols, const struct rfs_match_input *modules, size_t n);
void rfs_match_free(struct rfs_match *match);

/* Places in the program. The modules are borrowed from the input of rfs_match_new(). */
struct rfs_matched {
	struct rfs_site_ref *sites; /* ascending, without duplicates; owned */
	size_t n;
	enum rfs_match_how how;
};
void rfs_matched_release(struct rfs_matched *matched);

/*
 * Learns from a stack of Valgrind where this process of it had loaded the modules. Call it with all stacks first: a
 * frame without a symbol can then be found by its address.
 */
void rfs_match_learn(struct rfs_match *match, uint64_t process, const struct rfs_import_stack *stack);

/* The instructions that may make this access. 0 and *out, or -ENOENT and a line in why. */
int rfs_match_access(struct rfs_match *match, const struct rfs_import_report *report,
		     const struct rfs_import_access *access, struct rfs_matched *out, char *why, size_t n)
	__attribute__((warn_unused_result));
/* Where the lock of this stack is acquired: return addresses of calls. 0 and *out, or -ENOENT and a line in why. */
int rfs_match_lock(struct rfs_match *match, const struct rfs_import_report *report,
		   const struct rfs_import_stack *stack, struct rfs_matched *out, char *why, size_t n)
	__attribute__((warn_unused_result));
/*
 * The other places in the functions of this stack where a lock is acquired; those of the innermost function that has
 * any. A thread that wants a lock there may hold one of them.
 */
void rfs_match_locks_before(struct rfs_match *match, const struct rfs_import_stack *stack,
			    const struct rfs_matched *wanted, struct rfs_matched *out);
/* Whether the program has the code of this frame. process: whose addresses the frame has. */
bool rfs_match_frame(struct rfs_match *match, uint64_t process, const struct rfs_import_frame *frame);

#endif
