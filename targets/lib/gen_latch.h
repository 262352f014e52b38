/* gen_latch.h - a lock, and a text that it guards. All functions may be called from any thread. */
#ifndef GEN_LATCH_H
#define GEN_LATCH_H

#include <stdbool.h>

struct gen_latch;

struct gen_latch *gen_latch_new(void);
void gen_latch_free(struct gen_latch *latch);

/* Waits until no thread is inside. */
void gen_latch_enter(struct gen_latch *latch);
/* False if a thread is inside. */
bool gen_latch_try_enter(struct gen_latch *latch);
/* Only a thread that is inside may call this. */
void gen_latch_leave(struct gen_latch *latch);
/* False if this thread is not inside. */
bool gen_latch_put(struct gen_latch *latch, const char *text);

#endif
