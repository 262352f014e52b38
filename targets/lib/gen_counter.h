/* gen_counter.h - a number that threads add to. All functions may be called from any thread. */
#ifndef GEN_COUNTER_H
#define GEN_COUNTER_H

#include <stdbool.h>

struct gen_counter;

struct gen_counter *gen_counter_new(void);
void gen_counter_free(struct gen_counter *counter);

/* Returns the new value. */
long gen_counter_add(struct gen_counter *counter, int n);
/* Stores the value. False if it is zero. */
bool gen_counter_read(struct gen_counter *counter, long *value);
long gen_counter_get(const struct gen_counter *counter);

#endif
