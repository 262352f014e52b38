/*
 * target_memory.c - the target's memory, as the model of synchronisation reads it.
 *
 * The state of a lock is only in the target's memory. rfsup reads the memory again whenever it may have changed. It
 * cannot change while no thread runs, so what was read is valid until a thread is resumed or rfsup writes to memory.
 *
 * From stop to stop, mostly the same words are read: those that parked threads wait for, and words that may be locks.
 * So the first read after a stop also reads what was needed after the last one, with the same system call.
 */
#include "supervisor/state/core/target_memory.h"

#include <stdlib.h>
#include <string.h>

#include "disasm/addr.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/memory_name.h"
#include "supervisor/model/memory.h"
#include "supervisor/state/core/family.h"
#include "supervisor/state/core/operation.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/thread.h"
#include "tracer/memory.h"
#include "tracer/tracer.h"

struct rfs_space *rfs_run_space(const struct rfs_run *run)
{
	return rfs_family_space(run, run->turn ? run->turn->process : 0);
}

/* A piece of the target's memory. */
struct read_piece {
	rfs_addr address;
	size_t size;
	bool used; /* somebody asked for it since the last stop */
	unsigned char bytes[RFS_OBJECT_SIZE];
};

#define PIECES_MAX 16
#define AGAIN_MAX 8

struct rfs_read_cache {
	struct read_piece pieces[PIECES_MAX]; /* the first n are valid, if nothing was written since */
	size_t n;
	uint64_t writes; /* rfs_space_writes() when they were read */
	/* what was used before the memory changed, and is not read again yet */
	struct {
		rfs_addr address;
		size_t size;
	} again[AGAIN_MAX];
	size_t n_again;
};

void rfs_target_memory_open(struct rfs_run *run)
{
	run->cache = xcalloc(1, sizeof(*run->cache));
}

void rfs_target_memory_close(struct rfs_run *run)
{
	free(run->cache);
}

/* Drops the pieces, and remembers which of them were used. */
static void target_memory_forget(struct rfs_read_cache *cache)
{
	if (!cache->n)
		return;
	cache->n_again = 0;
	for (size_t i = 0; i < cache->n && cache->n_again < AGAIN_MAX; i++) {
		if (!cache->pieces[i].used)
			continue;
		cache->again[cache->n_again].address = cache->pieces[i].address;
		cache->again[cache->n_again++].size = cache->pieces[i].size;
	}
	cache->n = 0;
}

static void forget_if_written(struct rfs_read_cache *cache, const struct rfs_space *space)
{
	if (cache->writes != rfs_space_writes(space))
		target_memory_forget(cache);
	cache->writes = rfs_space_writes(space);
}

static struct read_piece *known(struct rfs_read_cache *cache, size_t n, rfs_addr address, size_t size)
{
	for (size_t i = 0; i < n; i++) {
		struct read_piece *piece = &cache->pieces[i];

		if (address >= piece->address && size <= piece->size && address - piece->address <= piece->size - size)
			return piece;
	}
	return NULL;
}

/* Pieces that are to be read with one system call. They go behind the cache's valid ones. */
struct request {
	struct rfs_read_cache *cache;
	struct rfs_piece pieces[PIECES_MAX];
	size_t n;
};

static void want(struct request *request, rfs_addr address, size_t size)
{
	struct rfs_read_cache *cache = request->cache;
	const size_t at = cache->n + request->n;
	struct read_piece *piece;

	if (at == PIECES_MAX || request->n == RFS_PIECES_MAX || known(cache, at, address, size))
		return;
	piece = &cache->pieces[at];
	piece->address = address;
	piece->size = size;
	piece->used = false;
	request->pieces[request->n++] = (struct rfs_piece){.address = address, .buf = piece->bytes, .n = size};
}

/* Reads what is wanted, and what was used before the last stop. Reading ends at the first piece that is not mapped. */
static void read_wanted(struct request *request, struct rfs_space *space)
{
	struct rfs_read_cache *cache = request->cache;

	for (size_t i = 0; i < cache->n_again; i++)
		want(request, cache->again[i].address, cache->again[i].size);
	cache->n_again = 0;
	cache->n += rfs_space_read_pieces(space, request->pieces, request->n);
}

/* The memory that an address means which may be a name. */
static struct rfs_space *space_at(const struct rfs_run *run, rfs_addr name)
{
	const unsigned process = rfs_memory_process(name);

	return process && rfs_family_any(run) ? rfs_family_space(run, process) : rfs_run_space(run);
}

static bool peek_in(const struct rfs_run *run, struct rfs_space *space, rfs_addr address, void *buf, size_t n)
{
	struct read_piece *piece;

	if (!space)
		return false;
	if (space != rfs_run_space(run))
		return rfs_space_read(space, address, buf, n) == 0;
	forget_if_written(run->cache, space);
	piece = known(run->cache, run->cache->n, address, n);
	if (!piece && n && n <= RFS_OBJECT_SIZE) {
		struct request request = {.cache = run->cache};

		want(&request, address, n);
		read_wanted(&request, space);
		piece = known(run->cache, run->cache->n, address, n);
	}
	if (!piece)
		return rfs_space_read(space, address, buf, n) == 0;
	piece->used = true;
	memcpy(buf, piece->bytes + (address - piece->address), n);
	return true;
}

bool rfs_peek(const struct rfs_run *run, rfs_addr address, void *buf, size_t n)
{
	return peek_in(run, space_at(run, address), rfs_memory_address(address), buf, n);
}

static bool poke_in(struct rfs_run *run, struct rfs_space *space, rfs_addr address, const void *buf, size_t n)
{
	rfs_target_memory_forget(run);
	return space && rfs_space_write(space, address, buf, n) == 0;
}

bool rfs_poke(struct rfs_run *run, rfs_addr address, const void *buf, size_t n)
{
	return poke_in(run, space_at(run, address), rfs_memory_address(address), buf, n);
}

static bool model_reads(void *run, rfs_addr name, void *buf, size_t n)
{
	return peek_in(run, rfs_family_space(run, rfs_memory_process(name)), rfs_memory_address(name), buf, n);
}

static bool model_writes(void *run, rfs_addr name, const void *buf, size_t n)
{
	return poke_in(run, rfs_family_space(run, rfs_memory_process(name)), rfs_memory_address(name), buf, n);
}

struct rfs_model_memory rfs_target_memory(struct rfs_run *run)
{
	return (struct rfs_model_memory){model_reads, model_writes, run};
}

void rfs_target_memory_forget(struct rfs_run *run)
{
	target_memory_forget(run->cache);
}

void rfs_target_memory_prefetch(struct rfs_run *run, struct rfs_thread *thread, bool object)
{
	const struct user_regs_struct *regs = rfs_task_regs(thread->task);
	struct rfs_space *space = rfs_task_space(thread->task);
	struct request request = {.cache = run->cache};

	forget_if_written(run->cache, space);
	want(&request, regs->rsp, sizeof(rfs_addr));
	for (size_t i = 0; i < run->n_threads; i++) {
		const struct rfs_thread *t = run->threads[i];

		if (t != thread && t->state == RFS_STATE_PARKED && t->ready != rfs_ready_always && t->next.object &&
		    t->process == thread->process)
			want(&request, rfs_memory_address(t->next.object), RFS_OBJECT_SIZE);
	}
	/* this piece comes after those, because rdi may not be an address */
	if (object)
		want(&request, regs->rdi, RFS_OBJECT_SIZE);
	read_wanted(&request, space);
}
