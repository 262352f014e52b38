/*
 * import.h - the reports that other tools wrote, as data: races and lock orders of ThreadSanitizer, Helgrind and DRD,
 * and the findings of rfsup's own JSON. Nothing here knows the program under test; campaign/triage/match.h finds its
 * code.
 */
#ifndef RFS_IMPORT_H
#define RFS_IMPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum rfs_import_tool { RFS_IMPORT_TSAN, RFS_IMPORT_HELGRIND, RFS_IMPORT_DRD, RFS_IMPORT_VALGRIND, RFS_IMPORT_RFSUP };

enum rfs_import_kind {
	RFS_IMPORT_RACE,
	RFS_IMPORT_DEADLOCK,
	RFS_IMPORT_OTHER, /* a report of something else, such as a leaked thread */
};

/* A frame of a stack, as far as the report says it. */
struct rfs_import_frame {
	char *function; /* may have parameters; NULL: unknown */
	char *file;	/* a path or a base name; NULL: unknown */
	unsigned line;	/* 0: unknown */
	char *module;	/* a path or a base name; NULL: unknown */
	char *build_id; /* of the module; NULL: unknown */
	bool has_offset;
	uint64_t offset;  /* if has_offset: in the module. Of a caller, it is inside the call instruction */
	uint64_t address; /* where the frame was in the process; 0: unknown */
};

struct rfs_import_stack {
	struct rfs_import_frame *frames; /* innermost first */
	size_t n;
};

struct rfs_import_access {
	bool writes, atomic;
	uint64_t size;	  /* 0: unknown */
	uint64_t address; /* of the memory; 0: unknown */
	struct rfs_import_stack stack;
};

/* One thread of a deadlock. A stack without frames is not in the report. */
struct rfs_import_part {
	struct rfs_import_stack held, wanted;
};

struct rfs_import_report {
	enum rfs_import_tool tool;
	enum rfs_import_kind kind;
	char *title;	  /* what the tool calls it: "data race", "lock-order-inversion" */
	unsigned line;	  /* where it begins in the file, from 1; 0: unknown */
	uint64_t process; /* whose addresses are in the report */
	uint64_t count;	  /* how many reports of the file are the same */
	bool cut;	  /* the file ends inside the report */
	/* a race; DRD names only one access, and ThreadSanitizer if it lost the stack of the other one */
	struct rfs_import_access access[2];
	size_t n_accesses;
	struct rfs_import_part *parts; /* a deadlock: each thread wants the lock that the next one holds */
	size_t n_parts;
};

/* The reports of a file. Equal reports are joined. */
struct rfs_import {
	struct rfs_import_report **reports; /* in the order of the file */
	size_t n;
	uint64_t n_all; /* how many reports the file has; equal ones are counted */
	char *note;	/* a line for the user: what could not be read; NULL: all was read */
};

/* What the contents of a file are. */
enum rfs_import_form {
	RFS_FORM_PAIRS, /* none of the others: perhaps a pairs file */
	RFS_FORM_TEXT,	/* text of ThreadSanitizer, Helgrind or DRD, perhaps among other lines */
	RFS_FORM_XML,
	RFS_FORM_JSON,
	RFS_FORM_GO,	/* Go's race detector */
	RFS_FORM_UTF16, /* text in UTF-16 */
};

enum rfs_import_form rfs_import_form_of(const char *data, size_t n);

/*
 * Reads the reports in n bytes of one of the forms TEXT, XML and JSON. file: the name for messages. 0 and *out (free
 * with rfs_import_release()), or -EINVAL and a line in why. Bytes without a report are an error.
 */
int rfs_import_parse(const char *file, enum rfs_import_form form, const char *data, size_t n, struct rfs_import *out,
		     char *why, size_t why_n) __attribute__((warn_unused_result));
/* A line that says why reports of this form cannot be read; NULL: they can. Static. */
const char *rfs_import_refused(enum rfs_import_form form);
void rfs_import_release(struct rfs_import *import);

/* "ThreadSanitizer", "Helgrind". Static. */
const char *rfs_import_tool_name(enum rfs_import_tool tool);
/* Whether the frame is in the tool itself: its run-time library, or its version of a function of the C library. */
bool rfs_import_is_tool(const struct rfs_import_frame *frame);
/* The first frame that is not of the tool; stack->n: there is none. */
size_t rfs_import_first_own(const struct rfs_import_stack *stack);

#endif
