/* import-priv.h - what the readers of this folder share: reports under construction, and frames. */
#ifndef RFS_IMPORT_PRIV_H
#define RFS_IMPORT_PRIV_H

#include "supervisor/import/import.h"

struct rfs_import_key;

/* What all readers write to. */
struct rfs_import_builder {
	struct rfs_import *import;
	struct rfs_import_key *keys; /* of the reports so far, to find equal ones */
};

/* A line of text. It is not ended by a NUL. */
struct rfs_import_line {
	const char *text;
	size_t n;
	unsigned number; /* from 1 */
};

/* A new report. The caller gives it to rfs_import_add() or rfs_import_drop(). */
struct rfs_import_report *rfs_import_begin(enum rfs_import_tool tool, enum rfs_import_kind kind, const char *title,
					   unsigned line);
/* Adds the report, or counts it if it is known. Frees it in the second case. NULL is ignored. */
void rfs_import_add(struct rfs_import_builder *builder, struct rfs_import_report *report);
void rfs_import_drop(struct rfs_import_report *report);
/* Takes over a note for the user. The first one of a file is kept. */
void rfs_import_note(struct rfs_import_builder *builder, char *note);
/* Adds a zeroed frame, borrowed until the next addition. NULL: the stack is too deep, and the frame is left out. */
struct rfs_import_frame *rfs_import_add_frame(struct rfs_import_stack *stack);
/* Adds a zeroed part of a deadlock, borrowed until the next addition. NULL: there are too many. */
struct rfs_import_part *rfs_import_add_part(struct rfs_import_report *report);

/* ---- text ---- */

/* Skips `word` at the start of the line. False if the line does not begin with it. */
bool rfs_import_skip(struct rfs_import_line *line, const char *word);
/* Skips all up to and with the first occurrence of `word`. False if there is none; the line is then unchanged. */
bool rfs_import_skip_to(struct rfs_import_line *line, const char *word);
/* Skips digits, which may be followed by anything. False if there are none, or if the number is too large. */
bool rfs_import_skip_number(struct rfs_import_line *line, unsigned base, uint64_t *out);
/* Removes blanks, and a CR, at the end. */
void rfs_import_trim(struct rfs_import_line *line);
/* A copy of the text, at most 4096 bytes. Caller frees. */
char *rfs_import_copy(const char *text, size_t n);

/* Reads the text of ThreadSanitizer line by line. */
struct rfs_import_tsan {
	struct rfs_import_report *report; /* under construction; NULL: none */
	struct rfs_import_stack *stack;	  /* where frames go; NULL: they are not kept */
	char *prefix;			  /* what is before each line of the report, such as the number of a test */
	size_t prefix_n;
};
void rfs_import_tsan_line(struct rfs_import_tsan *tsan, struct rfs_import_builder *builder,
			  struct rfs_import_line line);
void rfs_import_tsan_end(struct rfs_import_tsan *tsan, struct rfs_import_builder *builder);

/* Reads the text of Valgrind's tools line by line. Processes may take turns. */
struct rfs_import_process;
struct rfs_import_valgrind {
	struct rfs_import_process *processes; /* a table by number; owned */
	struct rfs_import_process *last;      /* which wrote the last line; NULL: none yet */
};
void rfs_import_valgrind_line(struct rfs_import_valgrind *valgrind, struct rfs_import_builder *builder,
			      struct rfs_import_line line);
void rfs_import_valgrind_end(struct rfs_import_valgrind *valgrind, struct rfs_import_builder *builder);

/*
 * What Valgrind's tools call an access: "Possible data race during read of size 4 at 0x1000 by thread #2", "Conflicting
 * store by thread 2 at 0x1000 size 4", "This conflicts with a previous read of size 4 by thread #1". *first: it begins
 * a report. False if the line is none of these.
 */
bool rfs_import_valgrind_access(struct rfs_import_line line, struct rfs_import_access *out, bool *first);

/* ---- other forms ---- */

/* A document that begins after this many lines of the file. Damage is a note, not an error. */
int rfs_import_xml(const char *file, unsigned lines_before, const char *data, size_t n,
		   struct rfs_import_builder *builder, char *why, size_t why_n) __attribute__((warn_unused_result));
int rfs_import_json(const char *file, const char *data, size_t n, struct rfs_import_builder *builder, char *why,
		    size_t why_n) __attribute__((warn_unused_result));

#endif
