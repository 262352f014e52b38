/*
 * call_orders.h - which method of an object may be called after which other one by the same thread, as tests have
 * shown. A call may be wrong by itself, and right after another one: unlock after lock. A call that was wrong whenever
 * it came directly after another one, or first, is seldom made there again.
 */
#ifndef RFS_CALL_ORDERS_H
#define RFS_CALL_ORDERS_H

#include <stdbool.h>
#include <stddef.h>

#include "policy/core/rng.h"
#include "supervisor/generate/tests/sequence.h"

struct rfs_call_orders;

/* In place of a function: no call of the same section comes before. */
#define RFS_CALL_FIRST SIZE_MAX

struct rfs_call_orders *rfs_call_orders_new(void);
void rfs_call_orders_free(struct rfs_call_orders *orders);

/* The function of the last call of a section on the object, a variable; RFS_CALL_FIRST: there is none. */
size_t rfs_call_orders_last(const struct rfs_sequence *sequence, enum rfs_section section, int object);

/* A call of `function` after one of `before` was right or wrong. */
void rfs_call_orders_note(struct rfs_call_orders *orders, size_t before, size_t function, bool right);
/* Notes all calls of a test on its object. Of a wrong test it is not known which of them is wrong. */
void rfs_call_orders_note_test(struct rfs_call_orders *orders, const struct rfs_sequence *test, int object, bool right);
/* How much a test with these calls on the object weighs: 1, or less if one of them was wrong so far. */
double rfs_call_orders_weight(const struct rfs_call_orders *orders, const struct rfs_sequence *test, int object);
/* Whether to make this call now. It only draws a random number if the call was wrong so far. */
bool rfs_call_orders_allow(const struct rfs_call_orders *orders, struct rfs_rng *rng, size_t before, size_t function);

#endif
