/* gen_pool.h - threads that execute work, and that can be paused. All functions may be called from any thread. */
#ifndef GEN_POOL_H
#define GEN_POOL_H

#include <stdbool.h>
#include <stddef.h>

struct gen_pool;

/* The pool has at least 1 and at most 4 workers. */
struct gen_pool *gen_pool_new(size_t n_workers);
void gen_pool_free(struct gen_pool *pool);

/* Lets a worker add the number to the sum. */
void gen_pool_add(struct gen_pool *pool, int number);
/* The sum so far, without the work that is not done yet. */
long gen_pool_sum(struct gen_pool *pool);
/* Returns when no worker works. The pool keeps new work until it is resumed. */
void gen_pool_pause(struct gen_pool *pool);
void gen_pool_resume(struct gen_pool *pool);

#endif
