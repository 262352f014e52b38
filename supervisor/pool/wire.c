/*
 * Encodes and decodes the messages of wire.h.
 *
 * For each struct, one function walks the fields, for encoding and for decoding, so that the two always agree. The
 * filters of XDR work the same way (xdr(3)).
 */
#include "supervisor/pool/wire.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "policy/policy.h"
#include "supervisor/base/alloc.h"
#include "supervisor/record/run_result.h"

#define NO_STRING UINT64_MAX /* the length that means a NULL pointer */
#define SECONDS_MAX 1e9	     /* no run takes so long; NaN and infinity cannot be written as JSON */

struct wire {
	bool decoding;
	bool failed;	/* decoding: bytes were missing or invalid; all further fields are zero */
	uint8_t *bytes; /* encoding: grows; decoding: borrowed */
	size_t position, size;
};

static void wire_put(struct wire *w, const void *data, size_t n)
{
	if (w->position + n > w->size) {
		w->size = (w->position + n) * 2;
		w->bytes = xrealloc(w->bytes, w->size);
	}
	if (n)
		memcpy(w->bytes + w->position, data, n);
	w->position += n;
}

static void wire_get(struct wire *w, void *data, size_t n)
{
	if (w->failed || n > w->size - w->position) {
		w->failed = true;
		if (n)
			memset(data, 0, n);
		return;
	}
	if (n)
		memcpy(data, w->bytes + w->position, n);
	w->position += n;
}

static void walk_bytes(struct wire *w, void *data, size_t n)
{
	if (w->decoding)
		wire_get(w, data, n);
	else
		wire_put(w, data, n);
}

static void walk_u64(struct wire *w, uint64_t *value)
{
	walk_bytes(w, value, sizeof(*value));
}

/* Walks a number of seconds. */
static void walk_seconds(struct wire *w, double *value)
{
	walk_bytes(w, value, sizeof(*value));
	if (w->decoding && !(*value >= 0 && *value <= SECONDS_MAX)) {
		w->failed = true;
		*value = 0;
	}
}

static void walk_int(struct wire *w, int *value)
{
	walk_bytes(w, value, sizeof(*value));
}

/*
 * Walks the number of an enum, from 0 to `last`, and returns it. Bytes may come from the part of a shard, which
 * somebody may have altered, and readers of the result use these numbers as indices.
 */
static int walk_enum(struct wire *w, int number, int last)
{
	walk_int(w, &number);
	if (w->decoding && (number < 0 || number > last)) {
		w->failed = true;
		number = 0;
	}
	return number;
}

static void walk_unsigned(struct wire *w, unsigned *value)
{
	walk_bytes(w, value, sizeof(*value));
}

static void walk_bool(struct wire *w, bool *value)
{
	uint8_t byte = *value;

	walk_bytes(w, &byte, 1);
	if (w->decoding)
		*value = byte != 0;
}

static void walk_string(struct wire *w, char **s)
{
	uint64_t n = w->decoding || !*s ? NO_STRING : strlen(*s);

	walk_u64(w, &n);
	if (!w->decoding) {
		if (*s)
			wire_put(w, *s, n);
		return;
	}
	*s = NULL;
	if (w->failed || n == NO_STRING)
		return;
	if (n > w->size - w->position) {
		w->failed = true;
		return;
	}
	*s = xstrndup((const char *)w->bytes + w->position, n);
	w->position += n;
}

/* Walks a string that is never NULL. */
static void walk_text(struct wire *w, char **s)
{
	walk_string(w, s);
	if (w->decoding && !*s) {
		w->failed = true;
		*s = xstrdup("");
	}
}

/* Walks the number of elements or bytes that follow. Each takes at least one byte, so a larger number is damaged. */
static size_t walk_count(struct wire *w, size_t count)
{
	uint64_t n = count;

	walk_u64(w, &n);
	if (w->decoding && (w->failed || n > w->size - w->position)) {
		w->failed = true;
		n = 0;
	}
	return n;
}

/* Makes room for one more element, which is zero, and counts it. Returns the array, which may have moved. */
static void *add_element(void *array, size_t *count, size_t element)
{
	if ((*count & (*count - 1)) == 0)
		array = xreallocarray(array, *count ? 2 * *count : 1, element);
	memset((char *)array + *count * element, 0, element);
	++*count;
	return array;
}

/* Decoding makes elements one by one until the bytes end, because a damaged count must not cause a huge allocation. */
#define WALK_ARRAY(w, array, count, walk)                                                                              \
	do {                                                                                                           \
		const size_t n_ = walk_count((w), (count));                                                            \
		if ((w)->decoding) {                                                                                   \
			(array) = NULL;                                                                                \
			(count) = 0;                                                                                   \
		}                                                                                                      \
		for (size_t element_ = 0; element_ < n_ && !(w)->failed; element_++) {                                 \
			if ((w)->decoding)                                                                             \
				(array) = add_element((array), &(count), sizeof(*(array)));                            \
			walk((w), &(array)[element_]);                                                                 \
		}                                                                                                      \
	} while (0)

static void walk_place(struct wire *w, struct rfs_place *place)
{
	walk_string(w, &place->module);
	walk_u64(w, &place->offset);
}

static void walk_object(struct wire *w, struct rfs_object *object)
{
	object->kind = (enum rfs_memory_kind)walk_enum(w, (int)object->kind, RFS_MEMORY_KERNEL);
	walk_u64(w, &object->address);
	walk_place(w, &object->place);
	walk_u64(w, &object->below_cfa);
	walk_u64(w, &object->offset);
	walk_u64(w, &object->size);
	walk_u64(w, &object->heap);
	walk_int(w, &object->thread);
	WALK_ARRAY(w, object->stack, object->n_stack, walk_place);
	walk_place(w, &object->acquired);
}

static void walk_evidence(struct wire *w, struct rfs_evidence *evidence)
{
	walk_place(w, &evidence->site);
	walk_int(w, &evidence->thread);
	walk_unsigned(w, &evidence->process);
	walk_u64(w, &evidence->team_number);
	walk_u64(w, &evidence->team_size);
	walk_int(w, &evidence->handler);
	walk_unsigned(w, &evidence->access);
	walk_u64(w, &evidence->size);
	walk_object(w, &evidence->object);
	walk_bool(w, &evidence->stale);
	WALK_ARRAY(w, evidence->locks, evidence->n_locks, walk_object);
	WALK_ARRAY(w, evidence->stack, evidence->n_stack, walk_place);
}

static void walk_race(struct wire *w, struct rfs_race *race)
{
	walk_evidence(w, &race->side[0]);
	walk_evidence(w, &race->side[1]);
	walk_u64(w, &race->step);
	walk_bool(w, &race->swapped);
	walk_bool(w, &race->interrupts);
	walk_u64(w, &race->number);
	walk_int(w, &race->first);
	walk_bool(w, &race->atomic_seen);
	walk_bool(w, &race->ordered);
	walk_u64(w, &race->address.kind);
	walk_u64(w, &race->address.object);
	walk_u64(w, &race->address.offset);
}

static void walk_cycle_lock(struct wire *w, struct rfs_cycle_lock *lock)
{
	walk_u64(w, &lock->class);
	walk_place(w, &lock->site);
	walk_bool(w, &lock->word);
	walk_object(w, &lock->object);
	WALK_ARRAY(w, lock->stack, lock->n_stack, walk_place);
}

static void walk_cycle_part(struct wire *w, struct rfs_cycle_part *part)
{
	walk_int(w, &part->thread);
	walk_cycle_lock(w, &part->held);
	walk_cycle_lock(w, &part->wanted);
}

static void walk_cycle(struct wire *w, struct rfs_cycle *cycle)
{
	WALK_ARRAY(w, cycle->parts, cycle->n, walk_cycle_part);
	w->failed |= w->decoding && cycle->n == 0;
	walk_bool(w, &cycle->one_thread);
}

static void walk_violation_access(struct wire *w, struct rfs_violation_access *access)
{
	walk_int(w, &access->thread);
	walk_unsigned(w, &access->access);
	walk_place(w, &access->site);
}

static void walk_violation(struct wire *w, struct rfs_violation *violation)
{
	violation->pattern =
		(enum rfs_atomicity_pattern)walk_enum(w, (int)violation->pattern, RFS_ATOMICITY_PATTERNS - 1);
	walk_violation_access(w, &violation->first);
	walk_violation_access(w, &violation->remote);
	walk_violation_access(w, &violation->second);
	walk_object(w, &violation->data);
	walk_violation_access(w, &violation->also);
	walk_object(w, &violation->beside);
	walk_u64(w, &violation->apart);
	walk_object(w, &violation->lock);
	walk_bool(w, &violation->locked);
	walk_unsigned(w, &violation->rank);
	walk_u64(w, &violation->distance);
}

static void walk_acquisition(struct wire *w, struct rfs_acquisition *acquisition)
{
	walk_u64(w, &acquisition->step);
	WALK_ARRAY(w, acquisition->stack, acquisition->n_stack, walk_place);
}

static void walk_waiter(struct wire *w, struct rfs_waiter *waiter)
{
	walk_int(w, &waiter->thread);
	walk_unsigned(w, &waiter->process);
	walk_int(w, &waiter->handler);
	waiter->operation = (enum rfs_op_kind)walk_enum(w, (int)waiter->operation, RFS_OP_COUNT - 1);
	walk_int(w, &waiter->call);
	walk_object(w, &waiter->waits_for);
	walk_int(w, &waiter->for_thread);
	WALK_ARRAY(w, waiter->holds, waiter->n_holds, walk_object);
	WALK_ARRAY(w, waiter->acquired, waiter->n_acquired, walk_acquisition);
	WALK_ARRAY(w, waiter->stack, waiter->n_stack, walk_place);
}

static void walk_misuse(struct wire *w, struct rfs_misuse *misuse)
{
	misuse->kind = (enum rfs_misuse_kind)walk_enum(w, (int)misuse->kind, RFS_MISUSE_KINDS - 1);
	walk_int(w, &misuse->thread);
	walk_object(w, &misuse->object);
	misuse->is = (enum rfs_object_type)walk_enum(w, (int)misuse->is, RFS_OBJECT_TYPES - 1);
	misuse->used_as = (enum rfs_object_type)walk_enum(w, (int)misuse->used_as, RFS_OBJECT_TYPES - 1);
	WALK_ARRAY(w, misuse->stack, misuse->n_stack, walk_place);
	walk_int(w, &misuse->error);
	walk_int(w, &misuse->other);
	misuse->earlier_is = (enum rfs_misuse_earlier)walk_enum(w, (int)misuse->earlier_is, RFS_EARLIER_COUNT - 1);
	WALK_ARRAY(w, misuse->earlier, misuse->n_earlier, walk_place);
	walk_place(w, &misuse->earlier_frame);
}

static void walk_fault(struct wire *w, struct rfs_fault_taken *taken)
{
	taken->fault = (enum rfs_fault)walk_enum(w, (int)taken->fault, RFS_FAULTS - 1);
	walk_int(w, &taken->thread);
	walk_text(w, &taken->call);
	walk_text(w, &taken->effect);
	walk_place(w, &taken->place);
}

static void walk_module(struct wire *w, struct rfs_run_module *module)
{
	uint64_t sites = module->sites;

	walk_text(w, &module->path);
	walk_string(w, &module->build_id);
	walk_bool(w, &module->watched);
	walk_u64(w, &sites);
	module->sites = sites;
}

static void walk_stat(struct wire *w, struct rfs_run_stat *stat)
{
	walk_text(w, &stat->key);
	walk_u64(w, &stat->value);
}

static void walk_blob(struct wire *w, struct rfs_blob *blob)
{
	blob->size = walk_count(w, blob->size);
	if (w->decoding)
		blob->data = blob->size ? xmalloc(blob->size) : NULL;
	if (blob->size)
		walk_bytes(w, blob->data, blob->size);
}

static void walk_result(struct wire *w, struct rfs_run_result *r)
{
	r->end = (enum rfs_run_end)walk_enum(w, (int)r->end, RFS_END_UNCONTROLLED);
	r->restart = (enum rfs_restart)walk_enum(w, (int)r->restart, RFS_RESTART_PROCESS);
	walk_int(w, &r->detail);
	walk_bool(w, &r->told_to_end);
	walk_bool(w, &r->refused);
	walk_int(w, &r->driver_status);
	walk_bool(w, &r->driver_reached);
	walk_bool(w, &r->gave_up);
	walk_string(w, &r->message);
	walk_string(w, &r->divergence.cause);
	for (int i = 0; i < 2; i++)
		WALK_ARRAY(w, r->divergence.at[i].stack, r->divergence.at[i].n_stack, walk_place);
	walk_blob(w, &r->said);
	walk_u64(w, &r->hash[0]);
	walk_u64(w, &r->hash[1]);
	walk_u64(w, &r->order[0]);
	walk_u64(w, &r->order[1]);
	walk_u64(w, &r->counts.steps);
	walk_u64(w, &r->counts.accesses);
	walk_u64(w, &r->counts.early);
	walk_u64(w, &r->counts.stops);
	walk_u64(w, &r->counts.threads);
	walk_seconds(w, &r->costs.wall_seconds);
	walk_seconds(w, &r->costs.cpu_seconds);
	walk_seconds(w, &r->costs.own_cpu_seconds);
	WALK_ARRAY(w, r->prediction.races, r->prediction.n, walk_race);
	WALK_ARRAY(w, r->cycles.list, r->cycles.n, walk_cycle);
	walk_bool(w, &r->cycles_cut);
	WALK_ARRAY(w, r->violations.list, r->violations.n, walk_violation);
	walk_bool(w, &r->violations_cut);
	walk_blob(w, &r->suspects);
	walk_blob(w, &r->covered);
	walk_u64(w, &r->addresses);
	walk_bool(w, &r->differed);
	walk_bool(w, &r->overwritten);
	walk_u64(w, &r->reached[0]);
	walk_u64(w, &r->reached[1]);
	for (int i = 0; i < 2; i++) {
		walk_u64(w, &r->executed[i]);
		walk_u64(w, &r->stopped[i]);
	}
	for (int i = 0; i < 2; i++)
		walk_evidence(w, &r->stood[i]);
	walk_bool(w, &r->shares_calls);
	walk_u64(w, &r->n_created);
	walk_race(w, &r->created);
	WALK_ARRAY(w, r->created_at, r->n_created_at, walk_place);
	WALK_ARRAY(w, r->deadlock.list, r->deadlock.n, walk_waiter);
	WALK_ARRAY(w, r->threads.list, r->threads.n, walk_waiter);
	WALK_ARRAY(w, r->fault, r->n_fault, walk_place);
	walk_int(w, &r->fault_thread);
	walk_string(w, &r->last_words);
	walk_bool(w, &r->bad_block.found);
	walk_bool(w, &r->bad_block.freed);
	walk_u64(w, &r->bad_block.size);
	walk_place(w, &r->bad_block.at[0]);
	walk_place(w, &r->bad_block.at[1]);
	WALK_ARRAY(w, r->spin, r->n_spin, walk_place);
	WALK_ARRAY(w, r->modules, r->n_modules, walk_module);
	WALK_ARRAY(w, r->threaded, r->n_threaded, walk_text);
	WALK_ARRAY(w, r->warnings, r->n_warnings, walk_text);
	WALK_ARRAY(w, r->misuses, r->n_misuses, walk_misuse);
	WALK_ARRAY(w, r->faults, r->n_faults, walk_fault);
	walk_blob(w, &r->blob);
	walk_blob(w, &r->schedule);
	walk_u64(w, &r->counts.preemptions);
	walk_u64(w, &r->counts.children);
	walk_u64(w, &r->counts.timeouts);
	walk_u64(w, &r->counts.accesses_recorded);
	walk_u64(w, &r->counts.dropped);
	walk_u64(w, &r->counts.blocks);
	walk_u64(w, &r->counts.memory.peak);
	walk_u64(w, &r->counts.memory.forgotten);
	walk_u64(w, &r->counts.fault_points);
	walk_u64(w, &r->stubs.single);
	walk_u64(w, &r->stubs.groups);
	walk_u64(w, &r->stubs.padded);
	walk_u64(w, &r->stubs.learned);
	walk_u64(w, &r->counts.steps_recorded);
	for (int i = 0; i < RFS_COUNTER_COUNT; i++)
		walk_u64(w, &r->counters[i]);
	WALK_ARRAY(w, r->policy_stats.list, r->policy_stats.n, walk_stat);
	walk_blob(w, &r->nondet.files);
	walk_blob(w, &r->nondet.names);
	walk_unsigned(w, &r->nondet.kinds);
}

static void walk_reply(struct wire *w, struct rfs_reply *reply)
{
	walk_int(w, &reply->error);
	walk_string(w, &reply->why);
	walk_result(w, &reply->result);
	walk_bool(w, &reply->served);
	walk_bool(w, &reply->filed);
	for (int i = 0; i < 2; i++)
		walk_blob(w, &reply->output[i]);
}

static void walk_request(struct wire *w, struct rfs_request *request)
{
	walk_text(w, &request->name);
	walk_u64(w, &request->seed);
	walk_u64(w, &request->policy);
	walk_string(w, &request->policy_options);
	walk_bool(w, &request->has_blob);
	walk_blob(w, &request->blob);
	walk_bool(w, &request->stood);
	walk_unsigned(w, &request->stood_thread);
	walk_u64(w, &request->detector);
	for (int i = 0; i < 2; i++)
		walk_place(w, &request->pair[i]);
}

/* Reserves room for the length of the message, which wire_end() fills in. */
static void wire_begin(struct wire *w)
{
	uint64_t length = 0;

	walk_u64(w, &length);
}

static void wire_end(struct wire *w, uint8_t **out, size_t *n)
{
	uint64_t length = w->position - sizeof(length);

	memcpy(w->bytes, &length, sizeof(length));
	*out = w->bytes;
	*n = w->position;
}

void rfs_wire_encode(const struct rfs_reply *reply, uint8_t **out, size_t *n)
{
	struct wire w = {0};
	/*
	 * The walk functions need a struct that they may change. Encoding only reads it. The copy is shallow, so the
	 * caller still owns what its pointers point to.
	 */
	struct rfs_reply copy = *reply;

	wire_begin(&w);
	walk_reply(&w, &copy);
	wire_end(&w, out, n);
}

void rfs_wire_encode_request(const struct rfs_request *request, uint8_t **out, size_t *n)
{
	struct rfs_request copy = *request;
	struct wire w = {0};

	wire_begin(&w);
	walk_request(&w, &copy);
	wire_end(&w, out, n);
}

/* Reads the length at the start. It must be exactly the number of bytes that follow. */
static bool opens(struct wire *w)
{
	uint64_t length = 0;

	walk_u64(w, &length);
	return !w->failed && length == w->size - w->position;
}

int rfs_wire_decode(const uint8_t *bytes, size_t n, struct rfs_reply *out)
{
	/* the cast is safe, because decoding only reads the bytes */
	struct wire w = {.decoding = true, .bytes = (uint8_t *)bytes, .size = n};

	memset(out, 0, sizeof(*out));
	if (!opens(&w))
		return -EBADMSG;
	walk_reply(&w, out);
	if (w.failed || w.position != w.size) {
		rfs_reply_release(out);
		return -EBADMSG;
	}
	return 0;
}

void rfs_reply_release(struct rfs_reply *reply)
{
	free(reply->why);
	for (int i = 0; i < 2; i++)
		free(reply->output[i].data);
	rfs_run_result_release(&reply->result);
	memset(reply, 0, sizeof(*reply));
}

int rfs_wire_decode_request(const uint8_t *bytes, size_t n, struct rfs_request *out)
{
	struct wire w = {.decoding = true, .bytes = (uint8_t *)bytes, .size = n};

	memset(out, 0, sizeof(*out));
	if (!opens(&w))
		return -EBADMSG;
	walk_request(&w, out);
	if (w.failed || w.position != w.size) {
		rfs_request_release(out);
		return -EBADMSG;
	}
	return 0;
}

void rfs_request_release(struct rfs_request *request)
{
	free(request->name);
	free(request->policy_options);
	free(request->blob.data);
	for (int i = 0; i < 2; i++)
		free(request->pair[i].module);
	memset(request, 0, sizeof(*request));
}

bool rfs_wire_whole(const uint8_t *bytes, size_t n)
{
	uint64_t length;

	if (n < sizeof(length))
		return false;
	memcpy(&length, bytes, sizeof(length));
	return n - sizeof(length) >= length;
}

int rfs_wire_send(int fd, const uint8_t *bytes, size_t n)
{
	while (n) {
		/* MSG_NOSIGNAL: if the worker is gone, send() returns an error instead of raising SIGPIPE */
		ssize_t got = send(fd, bytes, n, MSG_NOSIGNAL);

		if (got < 0 && errno == ENOTSOCK)
			got = write(fd, bytes, n);
		if (got < 0 && errno != EINTR)
			return -errno;
		if (got > 0) {
			bytes += got;
			n -= (size_t)got;
		}
	}
	return 0;
}
