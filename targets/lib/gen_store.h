/* gen_store.h - numbered values with a journal of changes. All functions may be called from any thread. */
#ifndef GEN_STORE_H
#define GEN_STORE_H

#include <stdbool.h>
#include <stddef.h>

#define GEN_STORE_VALUES 8

struct gen_store;

struct gen_store *gen_store_new(void);
void gen_store_free(struct gen_store *store);

/* False if the index is GEN_STORE_VALUES or more. */
bool gen_store_set(struct gen_store *store, unsigned index, int value);
int gen_store_get(struct gen_store *store, unsigned index);
/* Undoes the last change. False if there is none. */
bool gen_store_undo(struct gen_store *store);
/* How many changes can be undone. */
size_t gen_store_changes(struct gen_store *store);

#endif
