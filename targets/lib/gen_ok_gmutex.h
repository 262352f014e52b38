/* gen_ok_gmutex.h - the last lines of a log. All functions may be called from any thread. */
#ifndef GEN_OK_GMUTEX_H
#define GEN_OK_GMUTEX_H

#include <stdbool.h>
#include <stddef.h>

struct gen_history;

struct gen_history *gen_history_new(size_t n_lines);
void gen_history_free(struct gen_history *history);

void gen_history_add(struct gen_history *history, const char *line);
bool gen_history_contains(struct gen_history *history, const char *line);
/* Drops the oldest line. False if there is none. */
bool gen_history_drop(struct gen_history *history);
void gen_history_clear(struct gen_history *history);
/* The length of all lines together. */
size_t gen_history_length(struct gen_history *history);

#endif
