/* lock_graph.c - records the requests for locks of one run. lock_cycles.c searches them for cycles. */
#include "policy/detect/lock_graph.h"

#include <stdlib.h>
#include <string.h>

#include "policy/core/alloc.h"
#include "policy/detect/lock_graph-priv.h"

/* Programs have far fewer different requests. With ten threads, this many need a gigabyte. */
#define REQUESTS_MAX 1000000

#define PAGE_SHIFT 12

/* The current locks of one page. A page holds at most about a hundred mutexes, so linear search is enough. */
struct lock_page {
	UT_hash_handle hh;
	uint64_t number;
	uint32_t *locks;
	size_t n, capacity;
};

struct rfs_lock_graph *rfs_lock_graph_new(void)
{
	return rfs_policy_zalloc(1, sizeof(struct rfs_lock_graph));
}

static void lock_graph_free_page(struct rfs_lock_graph *graph, struct lock_page *page)
{
	HASH_DEL(graph->pages, page);
	free(page->locks);
	free(page);
}

void rfs_lock_graph_free(struct rfs_lock_graph *graph)
{
	struct lock_page *page, *next;

	HASH_ITER (hh, graph->pages, page, next)
		lock_graph_free_page(graph, page);
	HASH_CLEAR(hh, graph->by_key);
	for (size_t i = 0; i < graph->n_requests; i++) {
		struct graph_request *request = graph->requests[i];

		for (size_t k = 0; k < request->n_times; k++)
			rfs_vclock_release(&request->times[k].knows);
		free(request->key);
		free(request);
	}
	for (size_t i = 0; i < graph->holders_capacity; i++) {
		free(graph->holders[i].holds);
		free(graph->holders[i].counts);
	}
	rfs_hb_release(&graph->hb);
	free(graph->requests);
	free(graph->holders);
	free(graph->locks);
	free(graph->scratch);
	free(graph);
}

/* ---- locks ---- */

static struct lock_page *find_page(const struct rfs_lock_graph *graph, rfs_addr address)
{
	uint64_t number = address >> PAGE_SHIFT;
	struct lock_page *page;

	HASH_FIND(hh, graph->pages, &number, sizeof(number), page);
	return page;
}

/* The index of the current lock at this address, or -1. */
static int64_t lock_graph_find_lock(const struct rfs_lock_graph *graph, rfs_addr address)
{
	const struct lock_page *page = find_page(graph, address);

	for (size_t i = 0; page && i < page->n; i++)
		if (graph->locks[page->locks[i]].address == address)
			return page->locks[i];
	return -1;
}

static uint32_t lock_graph_add_lock(struct rfs_lock_graph *graph, const struct rfs_lock_request *request)
{
	struct lock_page *page = find_page(graph, request->lock);
	uint32_t lock = graph->n_locks++;

	graph->locks = rfs_policy_grow(graph->locks, &graph->locks_capacity, graph->n_locks, sizeof(*graph->locks));
	graph->locks[lock] = (struct graph_lock){.address = request->lock, .class = request->class, .taken_by = -1};
	if (!page) {
		page = rfs_policy_zalloc(1, sizeof(*page));
		page->number = request->lock >> PAGE_SHIFT;
		HASH_ADD(hh, graph->pages, number, sizeof(page->number), page);
	}
	page->locks = rfs_policy_grow(page->locks, &page->capacity, page->n + 1, sizeof(*page->locks));
	page->locks[page->n++] = lock;
	return lock;
}

static uint32_t lock_graph_lock_of(struct rfs_lock_graph *graph, const struct rfs_lock_request *request)
{
	int64_t lock = lock_graph_find_lock(graph, request->lock);

	if (lock < 0)
		return lock_graph_add_lock(graph, request);
	if (!graph->locks[lock].class)
		graph->locks[lock].class = request->class;
	return (uint32_t)lock;
}

bool rfs_lock_graph_knows(const struct rfs_lock_graph *graph, rfs_addr lock)
{
	int64_t found = lock_graph_find_lock(graph, lock);

	return found >= 0 && graph->locks[found].class;
}

/* ---- requests ---- */

static struct graph_holder *lock_graph_holder_of(struct rfs_lock_graph *graph, int thread)
{
	graph->holders =
		rfs_policy_grow(graph->holders, &graph->holders_capacity, (size_t)thread + 1, sizeof(*graph->holders));
	return &graph->holders[thread];
}

static size_t key_size(size_t n_held)
{
	return sizeof(struct graph_request_key) + n_held * sizeof(struct graph_hold);
}

static struct graph_request_key *make_key(struct rfs_lock_graph *graph, int thread, const struct graph_holder *holder,
					  struct graph_hold wanted)
{
	if (!graph->scratch || graph->scratch_capacity < holder->n) {
		free(graph->scratch);
		graph->scratch_capacity = 2 * holder->n;
		graph->scratch = rfs_policy_zalloc(1, key_size(graph->scratch_capacity));
	}
	graph->scratch->thread = (uint32_t)thread;
	graph->scratch->n_held = (uint32_t)holder->n;
	graph->scratch->wanted = wanted;
	if (holder->n)
		memcpy(graph->scratch->held, holder->holds, holder->n * sizeof(*holder->holds));
	return graph->scratch;
}

/* Whether the last kept time is also this one: the thread has neither sent nor learnt anything since. */
static bool is_same_time(const struct graph_time *time, const struct rfs_vclock *clock, uint64_t own)
{
	return time->own == own && time->knows.n == clock->n &&
	       (!clock->n || memcmp(time->knows.times, clock->times, clock->n * sizeof(*clock->times)) == 0);
}

static void add_time(struct rfs_lock_graph *graph, struct graph_request *request)
{
	const struct rfs_vclock *clock = rfs_hb_clock(&graph->hb, (int)request->key->thread);
	const uint64_t own = rfs_vclock_get(clock, request->key->thread);
	struct graph_time *time;

	if (request->n_times && is_same_time(&request->times[request->n_times - 1], clock, own))
		return;
	if (request->n_times < LOCK_TIMES_MAX)
		request->n_times++;
	time = &request->times[request->n_times - 1];
	rfs_vclock_clear(&time->knows);
	rfs_vclock_join(&time->knows, clock);
	time->own = own;
}

static void add_request(struct rfs_lock_graph *graph, int thread, struct graph_hold wanted)
{
	const struct graph_holder *holder = lock_graph_holder_of(graph, thread);
	struct graph_request_key *key = make_key(graph, thread, holder, wanted);
	struct graph_request *request;

	HASH_FIND(hh, graph->by_key, key, key_size(holder->n), request);
	if (!request) {
		if (graph->n_requests == REQUESTS_MAX) {
			graph->is_full = true;
			return;
		}
		request = rfs_policy_zalloc(1, sizeof(*request));
		request->key = rfs_policy_zalloc(1, key_size(holder->n));
		memcpy(request->key, key, key_size(holder->n));
		HASH_ADD_KEYPTR(hh, graph->by_key, request->key, key_size(holder->n), request);
		graph->requests = rfs_policy_grow(graph->requests, &graph->requests_capacity, graph->n_requests + 1,
						  sizeof(*graph->requests));
		graph->requests[graph->n_requests++] = request;
	}
	add_time(graph, request);
}

/* Whether a request can be a part of a cycle. */
static bool matters(const struct graph_holder *holder, unsigned how, bool held)
{
	if (how & RFS_LOCK_NEVER_WAITS)
		return false;
	if (held) /* only a reader behind a writer waits for a lock that it holds itself */
		return (how & RFS_LOCK_PREFERS_WRITERS) && (how & RFS_LOCK_SHARED);
	return holder->n > 0 || ((how & RFS_LOCK_PREFERS_WRITERS) && !(how & RFS_LOCK_SHARED));
}

static void add_hold(struct graph_holder *holder, struct graph_hold hold)
{
	holder->holds = rfs_policy_grow(holder->holds, &holder->holds_capacity, holder->n + 1, sizeof(*holder->holds));
	holder->counts =
		rfs_policy_grow(holder->counts, &holder->counts_capacity, holder->n + 1, sizeof(*holder->counts));
	holder->holds[holder->n] = hold;
	holder->counts[holder->n++] = 1;
}

static void drop_hold(struct graph_holder *holder, uint32_t lock, bool all)
{
	for (size_t i = 0; i < holder->n; i++) {
		if (holder->holds[i].lock != lock)
			continue;
		if (--holder->counts[i] && !all)
			return;
		/* the order of acquisition stays, because it is part of what identifies a request */
		memmove(&holder->holds[i], &holder->holds[i + 1], (holder->n - i - 1) * sizeof(*holder->holds));
		memmove(&holder->counts[i], &holder->counts[i + 1], (holder->n - i - 1) * sizeof(*holder->counts));
		holder->n--;
		return;
	}
}

/* ---- memory ---- */

static void lock_graph_reset_page(struct rfs_lock_graph *graph, struct lock_page *page, rfs_addr address, uint64_t size)
{
	size_t left = 0;

	for (size_t i = 0; i < page->n; i++) {
		if (graph->locks[page->locks[i]].address - address >= size) {
			page->locks[left++] = page->locks[i];
			continue;
		}
		for (size_t thread = 0; thread < graph->holders_capacity; thread++)
			drop_hold(&graph->holders[thread], page->locks[i], true);
	}
	page->n = left;
	if (!left)
		lock_graph_free_page(graph, page);
}

/* Memory has a new use: locks at these addresses are different ones from now on. */
static void lock_graph_reset(struct rfs_lock_graph *graph, rfs_addr address, uint64_t size)
{
	const uint64_t first = address >> PAGE_SHIFT, last = (address + size - 1) >> PAGE_SHIFT;
	struct lock_page *page, *next;

	if (!size)
		return;
	if (last - first >= HASH_COUNT(graph->pages)) {
		HASH_ITER (hh, graph->pages, page, next)
			lock_graph_reset_page(graph, page, address, size);
		return;
	}
	for (uint64_t number = first; number <= last; number++) {
		page = find_page(graph, number << PAGE_SHIFT);
		if (page)
			lock_graph_reset_page(graph, page, address, size);
	}
}

/* ---- acquisitions ---- */

static void lock_graph_request(struct rfs_lock_graph *graph, int thread, uint32_t lock,
			       const struct rfs_lock_request *asked)
{
	struct graph_holder *holder = lock_graph_holder_of(graph, thread);
	const struct graph_hold wanted = {.lock = lock, .how = asked->how, .site = asked->site};
	size_t at = 0;

	while (at < holder->n && holder->holds[at].lock != lock)
		at++;
	if (matters(holder, asked->how, at < holder->n))
		add_request(graph, thread, wanted);
	if (at < holder->n)
		holder->counts[at]++;
	else
		add_hold(holder, wanted);
}

void rfs_lock_graph_acquire(struct rfs_lock_graph *graph, int thread, const struct rfs_lock_request *asked)
{
	lock_graph_request(graph, thread, lock_graph_lock_of(graph, asked), asked);
}

void rfs_lock_graph_release(struct rfs_lock_graph *graph, int thread, rfs_addr address)
{
	int64_t lock = lock_graph_find_lock(graph, address);

	if (lock >= 0)
		drop_hold(lock_graph_holder_of(graph, thread), (uint32_t)lock, false);
}

size_t rfs_lock_graph_held(const struct rfs_lock_graph *graph, int thread, struct rfs_lock_request *out, size_t max)
{
	const struct graph_holder *holder;
	size_t n;

	if ((size_t)thread >= graph->holders_capacity)
		return 0;
	holder = &graph->holders[thread];
	n = holder->n < max ? holder->n : max;
	for (size_t i = 0; i < n; i++) {
		const struct graph_lock *lock = &graph->locks[holder->holds[i].lock];

		out[i] = (struct rfs_lock_request){lock->address, lock->class, holder->holds[i].site,
						   holder->holds[i].how};
	}
	return n;
}

/* ---- semaphores ---- */

static void is_no_lock(struct rfs_lock_graph *graph, uint32_t lock)
{
	if (graph->locks[lock].taken_by >= 0)
		drop_hold(lock_graph_holder_of(graph, graph->locks[lock].taken_by), lock, true);
	graph->locks[lock].taken_by = -1;
	graph->locks[lock].is_used_otherwise = true;
}

void rfs_lock_graph_take(struct rfs_lock_graph *graph, int thread, const struct rfs_lock_request *asked)
{
	uint32_t lock = lock_graph_lock_of(graph, asked);

	graph->locks[lock].is_semaphore = true;
	if (graph->locks[lock].is_used_otherwise)
		return;
	if (graph->locks[lock].taken_by >= 0) {
		is_no_lock(graph, lock);
		return;
	}
	graph->locks[lock].taken_by = thread;
	lock_graph_request(graph, thread, lock, asked);
}

void rfs_lock_graph_post(struct rfs_lock_graph *graph, int thread, rfs_addr semaphore)
{
	uint32_t lock = lock_graph_lock_of(graph, &(struct rfs_lock_request){.lock = semaphore});

	graph->locks[lock].is_semaphore = true;
	if (graph->locks[lock].taken_by != thread) {
		is_no_lock(graph, lock);
		return;
	}
	drop_hold(lock_graph_holder_of(graph, thread), lock, true);
	graph->locks[lock].taken_by = -1;
}

bool rfs_lock_graph_is_lock(const struct rfs_lock_graph *graph, rfs_addr semaphore)
{
	int64_t lock = lock_graph_find_lock(graph, semaphore);

	return lock >= 0 && graph->locks[lock].is_semaphore && !graph->locks[lock].is_used_otherwise;
}

/* ---- other events ---- */

void rfs_lock_graph_event(struct rfs_lock_graph *graph, const struct rfs_event *event)
{
	switch (event->kind) {
	case RFS_EVENT_SEND:
		rfs_hb_send(&graph->hb, event->thread, event->message);
		break;
	case RFS_EVENT_RECEIVE:
		rfs_hb_receive(&graph->hb, event->thread, event->message);
		break;
	case RFS_EVENT_FORGET:
		rfs_hb_forget(&graph->hb, event->message);
		break;
	case RFS_EVENT_THREAD:
		rfs_hb_thread(&graph->hb, event->thread, event->op.peer);
		break;
	case RFS_EVENT_RESET:
		lock_graph_reset(graph, event->op.object, event->op.size);
		break;
	default:
		break;
	}
}
