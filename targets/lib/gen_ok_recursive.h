/* gen_ok_recursive.h - a sorted set of numbers. All functions may be called from any thread. */
#ifndef GEN_OK_RECURSIVE_H
#define GEN_OK_RECURSIVE_H

#include <stdbool.h>
#include <stddef.h>

struct gen_numbers;

struct gen_numbers *gen_numbers_new(void);
void gen_numbers_free(struct gen_numbers *set);

/* Until it is unlocked, no other thread uses the set: so several calls of one thread act as one. */
void gen_numbers_lock(struct gen_numbers *set);
/* False if this thread has not locked it. */
bool gen_numbers_unlock(struct gen_numbers *set);
bool gen_numbers_add(struct gen_numbers *set, int number);
bool gen_numbers_remove(struct gen_numbers *set, int number);
bool gen_numbers_contains(struct gen_numbers *set, int number);
/* Puts the second number in the place of the first one. */
bool gen_numbers_replace(struct gen_numbers *set, int before, int after);
size_t gen_numbers_count(struct gen_numbers *set);

#endif
