/* gen_cache.h - numbers by name, read far more often than changed. All functions may be called from any thread. */
#ifndef GEN_CACHE_H
#define GEN_CACHE_H

#include <stdbool.h>
#include <stddef.h>

struct gen_cache;

struct gen_cache *gen_cache_new(void);
void gen_cache_free(struct gen_cache *cache);

void gen_cache_set(struct gen_cache *cache, const char *name, int value);
bool gen_cache_get(struct gen_cache *cache, const char *name, int *value);
/* Forgets a name. False if the cache does not have it. */
bool gen_cache_drop(struct gen_cache *cache, const char *name);
size_t gen_cache_count(struct gen_cache *cache);

#endif
