/*
 * suppressions.h - files that say which findings the user does not want, as --suppressions reads them.
 *
 * A file has blocks as Valgrind has them, and lines as ThreadSanitizer has them, also mixed:
 *
 *     {
 *        the name of the suppression
 *        Helgrind:Race                  or a kind of DRD or rfsup; blocks of other tools are left out
 *        fun:hit*                       innermost frame first: fun:FUNCTION, obj:MODULE, src:FILE[:LINE], or ... for
 *        ...                            any number of frames
 *        with:                          the frames of the other thread follow; only rfsup knows this line
 *        fun:reset
 *        var:hits                       the variable; only rfsup knows this line
 *     }
 *     race:hit*
 *
 * Nothing here knows the program under test: campaign/predicted/suppress.h asks with stacks and names.
 */
#ifndef RFS_SUPPRESSIONS_H
#define RFS_SUPPRESSIONS_H

#include <stdbool.h>
#include <stddef.h>

/* What can be suppressed. */
enum rfs_suppressible_kind {
	RFS_SUPPRESSIBLE_RACE,
	RFS_SUPPRESSIBLE_DEADLOCK,
	RFS_SUPPRESSIBLE_ATOMICITY,
	RFS_SUPPRESSIBLE_MISUSE,
	RFS_SUPPRESSIBLE_KINDS
};

struct rfs_suppression;

struct rfs_suppressions {
	struct rfs_suppression **list; /* owned; in the order of the files */
	size_t n;
	char **notes; /* lines for the user: what is useless, or hides everything; owned */
	size_t n_notes;
};

/* The largest file that is read. */
#define RFS_SUPPRESSIONS_MAX (1u << 24)

/*
 * Adds the suppressions in n bytes. file: the name for messages. own: the file is a part of rfsup, so it is not said
 * which of them were not used. 0, or -EINVAL and "FILE:LINE: what is wrong; what to write" in why; *out then has what
 * was read so far.
 */
int rfs_suppressions_parse(const char *file, bool own, const char *data, size_t n, struct rfs_suppressions *out,
			   char *why, size_t why_n) __attribute__((warn_unused_result));
void rfs_suppressions_release(struct rfs_suppressions *suppressions);

/* The name of a block, or the line of ThreadSanitizer's form. Borrowed, as the file. */
const char *rfs_suppression_name(const struct rfs_suppression *suppression);
const char *rfs_suppression_file(const struct rfs_suppression *suppression);
unsigned rfs_suppression_line(const struct rfs_suppression *suppression);
bool rfs_suppression_is_own(const struct rfs_suppression *suppression);

/* A frame. The strings may be NULL: not known. They are borrowed. */
struct rfs_suppressible_frame {
	const char *function; /* as the debug information or the symbol table has it, demangled */
	const char *bare;     /* without parameters and template arguments (function_name.h) */
	const char *symbol;   /* as the linker has it; NULL for an inlined function */
	const char *file, *module;
	unsigned line;
	bool inlined; /* into the next frame */
};

struct rfs_suppressible_stack {
	struct rfs_suppressible_frame *frames; /* innermost first */
	size_t n;
	bool cut; /* more frames follow that are not known */
};

/* What may be suppressed. All is borrowed. */
struct rfs_suppressible {
	enum rfs_suppressible_kind kind;
	const struct rfs_suppressible_stack *stacks; /* of the two accesses of a race; of all locks; of all accesses */
	size_t n_stacks;
	const char *variable; /* NULL: not known */
	const char *misuse;   /* the name of the kind of a misuse, "unlock-free" */
};

/* The number of the first suppression that fits; suppressions->n: there is none. */
size_t rfs_suppressions_find(const struct rfs_suppressions *suppressions, const struct rfs_suppressible *what);

#endif
