/* gen_ok_counters.h - lock-free statistics of numbers. All functions may be called from any thread. */
#ifndef GEN_OK_COUNTERS_H
#define GEN_OK_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>

struct gen_statistics;

struct gen_statistics *gen_statistics_new(void);
void gen_statistics_free(struct gen_statistics *statistics);

void gen_statistics_add(struct gen_statistics *statistics, int number);
size_t gen_statistics_count(const struct gen_statistics *statistics);
long gen_statistics_sum(const struct gen_statistics *statistics);
/* The largest number so far, or INT_MIN. */
int gen_statistics_largest(const struct gen_statistics *statistics);
/* How many numbers were in class i: 0 is for those below 1, 1 for 1, 2 for 2 and 3, 3 for 4 to 7, and so on. */
size_t gen_statistics_in_class(const struct gen_statistics *statistics, unsigned i);
/* Returns the count and starts again from 0. */
size_t gen_statistics_take_count(struct gen_statistics *statistics);

#endif
