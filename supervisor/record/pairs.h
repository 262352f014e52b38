/*
 * pairs.h - the pairs file, rfsup-pairs(5): phase predict writes it, people edit it, and --pairs reads it.
 *
 *     # comment
 *     program: "./my program" -n 3
 *     figure1.c:14 figure1.c:23
 *     figure1+0x11a4 "operator+(int, int)+0x1c"
 *     deadlock: bank.c:20 bank.c:21 bank+0x1203@5f0c bank+0x120b@8e11
 *     atomicity: bank+0x1310 bank+0x1342@2 bank+0x1361
 *     order: use-free bank+0x1401 bank+0x1460@3 bank+0x13f2
 *
 * Words are separated by blanks. Double quotes allow blanks and '#' in a word, and the escapes \" \\ \n \t and \xHH. A
 * word is split into name and number at its last ':' if only digits follow, otherwise at its last "+0x".
 */
#ifndef RFS_PAIRS_H
#define RFS_PAIRS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "policy/detect/atomicity.h"

enum rfs_name_form {
	RFS_NAME_LINE,	 /* FILE:LINE */
	RFS_NAME_OFFSET, /* FUNCTION+0xOFF or MODULE+0xOFF */
};

/* A statement as the user wrote it. */
struct rfs_name {
	enum rfs_name_form form;
	char *name;	       /* file, function or module; owned */
	uint64_t number;       /* line or offset */
	unsigned line, column; /* position in the pairs file, from 1; 0: not from a file */
};

struct rfs_named_pair {
	struct rfs_name statement[2];
	unsigned
		object_kinds; /* a statement is a system call: 1 << the kind of object at which they meet; 0: none is */
	char *comment;	      /* written after the pair, but not read back; NULL: none; owned */
};

/* A lock of a predicted deadlock, by where a thread acquires it. */
struct rfs_named_lock {
	struct rfs_name name; /* name.name NULL: no lock */
	uint64_t class;	      /* rfs_lock_class(); 0: any lock */
};

/* A predicted deadlock: of each thread, the lock that it holds and the lock that it wants. */
struct rfs_named_cycle {
	struct rfs_named_lock *locks; /* held and wanted of the first thread, then of the next one */
	size_t n_locks;		      /* twice the number of threads */
	char *comment;		      /* as of a pair */
};

/* A predicted atomicity or order violation. */
struct rfs_named_violation {
	enum rfs_atomicity_pattern pattern; /* of an order violation; otherwise it is not one, and says nothing */
	/* the first access of the thread, the remote one, the second one of the thread; of an order violation: the
	 * first and the later operation, and where the thread is postponed, whose name is NULL if it is at the first
	 * operation */
	struct rfs_name statement[3];
	uint64_t remote; /* number of the remote thread, from 1; 0: not known */
	char *comment;	 /* as of a pair */
};

struct rfs_pairs {
	struct rfs_named_pair *pairs;
	size_t n_pairs;
	struct rfs_named_cycle *cycles;
	size_t n_cycles;
	struct rfs_named_violation *violations;
	size_t n_violations;
	char **program; /* ends with NULL; NULL: no program line */
};

/* The largest file that is read: ten times the size of a million pairs. */
#define RFS_PAIRS_MAX (UINT64_C(1) << 30)
/*
 * The longest line of a pair. It is much longer than any C++ name, and small enough that a file of another kind is
 * rejected early.
 */
#define RFS_PAIRS_LINE_MAX (UINT64_C(1) << 20)

/*
 * Parses n bytes. file: the name to use in errors. Returns 0 and *out, to be freed with rfs_pairs_release(), or -EINVAL
 * and "FILE:LINE:COL: what is wrong" in why. Bytes that name nothing are an error. Columns count bytes.
 */
int rfs_pairs_parse(const char *file, const char *buf, size_t n, struct rfs_pairs *out, char *why, size_t why_n)
	__attribute__((warn_unused_result));
/* Adds a pair. The names and the comment are copied. */
void rfs_pairs_add(struct rfs_pairs *pairs, const struct rfs_name statement[2], const char *comment);
/* Adds a predicted deadlock. The names and the comment are copied. */
void rfs_pairs_add_cycle(struct rfs_pairs *pairs, const struct rfs_named_lock *locks, size_t n_locks,
			 const char *comment);
/* Adds a predicted atomicity or order violation. The names are copied, and added->comment too. */
void rfs_pairs_add_violation(struct rfs_pairs *pairs, const struct rfs_named_violation *added);
/*
 * Writes a pairs file. rfs_pairs_parse() reads the same statements and program back, whatever bytes the names contain.
 */
void rfs_pairs_write(const struct rfs_pairs *pairs, FILE *out);
void rfs_pairs_release(struct rfs_pairs *pairs);

#endif
