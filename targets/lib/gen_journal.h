/* gen_journal.h - lines that threads add and print. All functions may be called from any thread. */
#ifndef GEN_JOURNAL_H
#define GEN_JOURNAL_H

#include <stdio.h>

struct gen_journal;

/* Prints a title to `echo`, and later each line that is added. */
struct gen_journal *gen_journal_new(FILE *echo);
void gen_journal_free(struct gen_journal *journal);

void gen_journal_add(struct gen_journal *journal, int line);
/* Prints all lines. */
void gen_journal_print(struct gen_journal *journal, FILE *out);

#endif
