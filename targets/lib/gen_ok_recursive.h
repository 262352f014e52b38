/* gen_ok_recursive.h - a sorted set of numbers. All functions may be called from any thread. */
#ifndef GEN_OK_RECURSIVE_H
#define GEN_OK_RECURSIVE_H

#include <stdbool.h>
#include <stddef.h>

struct gen_set;

struct gen_set *gen_set_new(void);
void gen_set_free(struct gen_set *set);

/* Several calls of one thread may be made as one. */
void gen_set_lock(struct gen_set *set);
/* False if this thread has not locked it. */
bool gen_set_unlock(struct gen_set *set);
bool gen_set_add(struct gen_set *set, int number);
bool gen_set_remove(struct gen_set *set, int number);
bool gen_set_contains(struct gen_set *set, int number);
/* Puts the second number in the place of the first one. */
bool gen_set_replace(struct gen_set *set, int before, int after);
size_t gen_set_count(struct gen_set *set);

#endif
