/* gen_registry.h - shared items by name. All functions may be called from any thread. */
#ifndef GEN_REGISTRY_H
#define GEN_REGISTRY_H

#include <stdbool.h>
#include <stddef.h>

struct gen_item;
struct gen_registry;

struct gen_registry *gen_registry_new(void);
void gen_registry_free(struct gen_registry *registry);

/* Adds an item, which the registry keeps. False if an item has this name. */
bool gen_registry_add(struct gen_registry *registry, const char *name);
/* Removes an item. It lives until its last reference is released. */
bool gen_registry_remove(struct gen_registry *registry, const char *name);
/* Returns a new reference, or NULL if no item has this name. */
struct gen_item *gen_registry_get(struct gen_registry *registry, const char *name);
size_t gen_registry_count(struct gen_registry *registry);

size_t gen_item_name_length(const struct gen_item *item);
void gen_item_unref(struct gen_item *item);

#endif
