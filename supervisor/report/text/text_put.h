/* text_put.h - writes single parts of a report for people: places, stacks, statements. */
#ifndef RFS_TEXT_PUT_H
#define RFS_TEXT_PUT_H

#include <stdbool.h>
#include <stdio.h>

struct rfs_report_shown;
struct rfs_report_statement;
struct rfs_report_strings;
struct rfs_source_place;
struct rfs_source_stack;

struct rfs_text {
	FILE *out;
	bool colour;
	char *folder; /* the working directory; files in it are shown relative to it; NULL: unknown */
	bool created; /* the word "created" was used, so the reader knows what it means */
};

#define RFS_TEXT_BOLD "\033[1m"
#define RFS_TEXT_DIM "\033[2m"
#define RFS_TEXT_RED "\033[1;31m"
#define RFS_TEXT_YELLOW "\033[1;33m"
#define RFS_TEXT_CYAN "\033[36m"
#define RFS_TEXT_PLAIN "\033[0m"

/* Writes text with its control characters replaced. Names come from the target, and must not control the terminal. */
void rfs_text_put(struct rfs_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void rfs_text_colour(struct rfs_text *text, const char *sequence);
/* "file.c:12:3", or "module+0x1234" if the line is not known. Caller frees. */
char *rfs_text_place(const struct rfs_text *text, const struct rfs_source_place *place);
/* The same without the column. Caller frees. */
char *rfs_text_line(const struct rfs_text *text, const struct rfs_source_place *place);
/* "first() at file.c:12". Caller frees. */
char *rfs_text_who(const struct rfs_text *text, const struct rfs_source_place *place);
/* The name of a variable without where its block was allocated; `otherwise` for NULL. Caller frees. */
char *rfs_text_variable(const char *variable, const char *otherwise);
/*
 * Writes the frames in the user's code first, then in one line the function of a header or library that they called.
 * Other frames of headers and libraries are left out.
 */
void rfs_text_put_stack(struct rfs_text *text, const struct rfs_source_stack *stack, const char *indent);
/* Writes "holding A, B", or `none`. */
void rfs_text_put_locks(struct rfs_text *text, const struct rfs_report_strings *locks, const char *none);
/* Writes " of process N" after the name of a thread; nothing if N is 0, for the program itself. */
void rfs_text_put_process(struct rfs_text *text, unsigned process);
/* "created", or "created (made to happen)" the first time. */
const char *rfs_text_created(struct rfs_text *text);
/* Writes what is known of the run that a finding shows, and the command that shows it again. record: NULL: none. */
void rfs_text_put_shown(struct rfs_text *text, const struct rfs_report_shown *shown, const char *record);
void rfs_text_put_statement(struct rfs_text *text, const struct rfs_report_statement *statement);

#endif
