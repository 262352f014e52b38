/* store_buffer.c - the store buffer of one thread. */
#include "supervisor/model/store_buffer.h"

#include <stdlib.h>
#include <string.h>

#include "supervisor/base/alloc.h"
#include "supervisor/model/memory.h"

struct rfs_store *rfs_store_buffer_add(struct rfs_store_buffer *buffer, rfs_addr address, size_t size,
				       const void *under, const void *value)
{
	struct rfs_store *store;

	if (buffer->n == buffer->capacity) {
		buffer->capacity = buffer->capacity ? 2 * buffer->capacity : 8;
		buffer->stores = xreallocarray(buffer->stores, buffer->capacity, sizeof(*buffer->stores));
	}
	store = &buffer->stores[buffer->n++];
	*store = (struct rfs_store){.address = address, .size = size};
	memcpy(store->under, under, size);
	memcpy(store->value, value, size);
	buffer->shown = true;
	return store;
}

/* A store whose memory is gone cannot be shown; it is dropped when it becomes visible. */
static void store_buffer_put(const struct rfs_model_memory *memory, const struct rfs_store *store,
			     const unsigned char *bytes)
{
	(void)rfs_model_write(memory, store->address, bytes, store->size);
}

void rfs_store_buffer_show(struct rfs_store_buffer *buffer, const struct rfs_model_memory *memory)
{
	if (buffer->shown)
		return;
	for (size_t i = 0; i < buffer->n; i++) {
		struct rfs_store *store = &buffer->stores[i];

		if (!rfs_model_read(memory, store->address, store->under, store->size))
			continue;
		store_buffer_put(memory, store, store->value);
	}
	buffer->shown = buffer->n > 0;
}

void rfs_store_buffer_hide(struct rfs_store_buffer *buffer, const struct rfs_model_memory *memory)
{
	for (size_t i = buffer->n; buffer->shown && i-- > 0;)
		store_buffer_put(memory, &buffer->stores[i], buffer->stores[i].under);
	buffer->shown = false;
}

size_t rfs_store_buffer_next(const struct rfs_store_buffer *buffer)
{
	size_t n = buffer->n > 0;

	while (n && n < buffer->n && buffer->stores[n].follows)
		n++;
	return n;
}

static bool store_buffer_overlaps(const struct rfs_store *store, rfs_addr address, uint64_t size)
{
	return address + size > store->address && store->address + store->size > address;
}

bool rfs_store_buffer_overlaps(const struct rfs_store_buffer *buffer, rfs_addr address, uint64_t size)
{
	for (size_t i = 0; i < buffer->n; i++)
		if (store_buffer_overlaps(&buffer->stores[i], address, size))
			return true;
	return false;
}

size_t rfs_store_buffer_before_load(const struct rfs_store_buffer *buffer, rfs_addr address, uint64_t size)
{
	for (size_t i = buffer->n; i-- > 0;) {
		const struct rfs_store *store = &buffer->stores[i];

		if (!store_buffer_overlaps(store, address, size))
			continue;
		if (address >= store->address && address + size <= store->address + store->size)
			return 0;
		return i + 1;
	}
	return 0;
}

void rfs_store_buffer_commit(struct rfs_store_buffer *buffer, const struct rfs_model_memory *memory, size_t n)
{
	const bool shown = buffer->shown;

	if (n == 0)
		return;
	if (!shown || n < buffer->n) {
		rfs_store_buffer_hide(buffer, memory);
		for (size_t i = 0; i < n; i++)
			store_buffer_put(memory, &buffer->stores[i], buffer->stores[i].value);
	}
	buffer->n -= n;
	memmove(buffer->stores, buffer->stores + n, buffer->n * sizeof(*buffer->stores));
	buffer->shown = false;
	if (shown)
		rfs_store_buffer_show(buffer, memory);
}

void rfs_store_buffer_release(struct rfs_store_buffer *buffer)
{
	free(buffer->stores);
	*buffer = (struct rfs_store_buffer){0};
}
