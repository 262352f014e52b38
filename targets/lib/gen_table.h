/* gen_table.h - a hash table of numbers. All functions may be called from any thread. */
#ifndef GEN_TABLE_H
#define GEN_TABLE_H

#include <stdbool.h>
#include <stddef.h>

struct gen_table;

/* size: up to this many keys, the table need not grow. */
struct gen_table *gen_table_new(size_t size);
void gen_table_free(struct gen_table *table);

void gen_table_set(struct gen_table *table, int key, int value);
bool gen_table_get(struct gen_table *table, int key, int *value);
/* Calls visit for each key, until it returns true. visit may use the table. Returns whether it has returned true. */
bool gen_table_visit(struct gen_table *table, bool (*visit)(int key, int value, void *arg), void *arg);
size_t gen_table_count(struct gen_table *table);

#endif
