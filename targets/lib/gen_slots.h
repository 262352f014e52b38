/* gen_slots.h - a limit on how many threads use something. All functions may be called from any thread. */
#ifndef GEN_SLOTS_H
#define GEN_SLOTS_H

#include <stdbool.h>
#include <stddef.h>

struct gen_slots;

/* At least 1 slot. */
struct gen_slots *gen_slots_new(size_t n_slots);
void gen_slots_free(struct gen_slots *slots);

/* Waits until a slot is free, and takes it. */
void gen_slots_take(struct gen_slots *slots);
/* Takes a slot if one is free. */
bool gen_slots_try(struct gen_slots *slots);
/* Gives a slot back. False if none is taken. */
bool gen_slots_give(struct gen_slots *slots);
size_t gen_slots_left(struct gen_slots *slots);

#endif
