/* wire_test.c - what a job sends arrives unchanged, and a job that dies while it sends is noticed. */
#include "supervisor/pool/wire.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "disasm/addr.h"
#include "policy/policy.h"
#include "supervisor/base/alloc.h"
#include "supervisor/record/cycle.h"
#include "supervisor/record/run_result.h"
#include "supervisor/symbols/place.h"

TestSuite(wire, .timeout = 20);

static void set_place(struct rfs_place *place, const char *module, uint64_t offset)
{
	place->module = module ? xstrdup(module) : NULL;
	place->offset = offset;
}

static void set_object(struct rfs_object *object, rfs_addr address)
{
	object->kind = RFS_MEMORY_HEAP;
	object->address = address;
	object->offset = 8;
	object->size = 64;
	object->thread = 3;
	set_place(&object->place, "lib", 5);
	object->n_stack = 2;
	object->stack = xcalloc(2, sizeof(*object->stack));
	set_place(&object->stack[0], "a", 1);
	set_place(&object->stack[1], NULL, 2);
}

static void set_race(struct rfs_race *race)
{
	race->step = 17;
	race->swapped = true;
	race->atomic_seen = true;
	race->ordered = true;
	for (int k = 0; k < 2; k++) {
		set_place(&race->side[k].site, "prog", 100 + k);
		race->side[k].thread = k;
		race->side[k].access = RFS_ACCESS_READ << k;
		race->side[k].size = 4;
		set_object(&race->side[k].object, 0x1000);
		race->side[k].n_locks = 1;
		race->side[k].locks = xcalloc(1, sizeof(*race->side[k].locks));
		set_object(&race->side[k].locks[0], 0x2000);
	}
}

/* Two threads; the first one waits behind the second one, which holds nothing. */
static void set_cycles(struct rfs_cycles *cycles)
{
	struct rfs_cycle *cycle;

	cycles->n = 1;
	cycles->list = xcalloc(1, sizeof(*cycles->list));
	cycle = &cycles->list[0];
	cycle->one_thread = true;
	cycle->n = 2;
	cycle->parts = xcalloc(2, sizeof(*cycle->parts));
	for (int i = 0; i < 2; i++) {
		cycle->parts[i].thread = i + 1;
		cycle->parts[i].wanted.class = 0x8000000000000000 + (uint64_t)i;
		set_place(&cycle->parts[i].wanted.site, "prog", 0x20);
		set_object(&cycle->parts[i].wanted.object, 0x4000);
	}
	set_place(&cycle->parts[1].held.site, "prog", 0x10);
}

static void set_violations(struct rfs_violations *violations)
{
	struct rfs_violation *violation;

	violations->n = 1;
	violations->list = xcalloc(1, sizeof(*violations->list));
	violation = &violations->list[0];
	violation->pattern = RFS_ATOMICITY_WRW;
	violation->locked = true;
	violation->rank = 3;
	violation->distance = UINT64_MAX;
	violation->remote.thread = 2;
	violation->remote.access = 6;
	set_place(&violation->remote.site, "prog", 0x30);
	set_object(&violation->data, 0x5000);
}

static void set_reply(struct rfs_reply *reply)
{
	struct rfs_run_result *r = &reply->result;

	memset(reply, 0, sizeof(*reply));
	r->end = RFS_END_DEADLOCK;
	r->detail = -7;
	r->message = xstrdup("line");
	r->hash[0] = UINT64_MAX;
	r->hash[1] = 1;
	r->counts.steps = 123;
	r->counts.threads = 4;
	r->costs.cpu_seconds = 0.25;
	r->costs.own_cpu_seconds = 0.5;
	r->prediction.n = 1;
	r->prediction.races = xcalloc(1, sizeof(*r->prediction.races));
	set_race(&r->prediction.races[0]);
	set_cycles(&r->cycles);
	r->cycles_cut = true;
	set_violations(&r->violations);
	r->violations_cut = true;
	r->reached[1] = 9;
	r->n_created = 2;
	set_race(&r->created);
	r->deadlock.n = 1;
	r->deadlock.list = xcalloc(1, sizeof(*r->deadlock.list));
	r->deadlock.list[0].operation = RFS_OP_LOCK;
	r->deadlock.list[0].for_thread = 2;
	set_object(&r->deadlock.list[0].waits_for, 0x3000);
	r->deadlock.list[0].n_acquired = 1;
	r->deadlock.list[0].acquired = xcalloc(1, sizeof(*r->deadlock.list[0].acquired));
	r->deadlock.list[0].acquired[0].step = 41;
	r->deadlock.list[0].acquired[0].n_stack = 1;
	r->deadlock.list[0].acquired[0].stack = xcalloc(1, sizeof(struct rfs_place));
	set_place(r->deadlock.list[0].acquired[0].stack, "prog", 7);
	r->n_created_at = 2;
	r->created_at = xcalloc(2, sizeof(*r->created_at));
	set_place(&r->created_at[0], "prog", 8);
	set_place(&r->created_at[1], "prog", 9);
	r->n_modules = 1;
	r->modules = xcalloc(1, sizeof(*r->modules));
	r->modules[0] = (struct rfs_run_module){xstrdup("/bin/x"), xstrdup("abcd"), true, 12};
	r->n_warnings = 2;
	r->warnings = xcalloc(2, sizeof(*r->warnings));
	r->warnings[0] = xstrdup("one");
	r->warnings[1] = xstrdup("");
	r->n_misuses = 1;
	r->misuses = xcalloc(1, sizeof(*r->misuses));
	r->misuses[0].kind = RFS_MISUSE_EXIT_HOLDING;
	r->misuses[0].other = -1;
	r->misuses[0].is = RFS_OBJECT_MUTEX;
	r->misuses[0].used_as = RFS_OBJECT_BARRIER;
	r->misuses[0].earlier_is = RFS_EARLIER_WAITS;
	r->misuses[0].n_earlier = 1;
	r->misuses[0].earlier = xcalloc(1, sizeof(*r->misuses[0].earlier));
	r->misuses[0].earlier[0] = (struct rfs_place){xstrdup("prog"), 0x40};
	set_object(&r->misuses[0].object, 0x5000);
	r->covered.size = 2;
	r->covered.data = xmalloc(2);
	memcpy(r->covered.data, "\2\1", 2);
	r->blob.size = 3;
	r->blob.data = xmalloc(3);
	memcpy(r->blob.data, "\0\1\2", 3);
	r->counters[RFS_COUNTER_RACES] = 5;
	r->restart = RFS_RESTART_TRAP_RDTSC;
	r->order[1] = 77;
	rfs_run_stats_add(&r->policy_stats, "thrashings", 12);
	r->nondet.kinds = 3;
	r->nondet.files.size = 4;
	r->nondet.files.data = xmalloc(4);
	memcpy(r->nondet.files.data, "\3\0\4\5", 4);
	r->nondet.names.size = 2;
	r->nondet.names.data = xstrdup("f");
}

Test(wire, carries_every_field)
{
	struct rfs_reply sent, got;
	const struct rfs_run_result *r = &got.result;
	uint8_t *bytes, *again;
	size_t n, m;

	set_reply(&sent);
	rfs_wire_encode(&sent, &bytes, &n);
	cr_assert_eq(rfs_wire_decode(bytes, n, &got), 0);
	cr_expect_eq(r->end, RFS_END_DEADLOCK);
	cr_expect_eq(r->detail, -7);
	cr_expect_eq(r->restart, RFS_RESTART_TRAP_RDTSC);
	cr_expect_eq(r->counters[RFS_COUNTER_RACES], 5);
	cr_expect_str_eq(r->message, "line");
	cr_expect_eq(r->hash[0], UINT64_MAX);
	cr_expect_eq(r->costs.cpu_seconds, 0.25);
	cr_expect_eq(r->costs.own_cpu_seconds, 0.5);
	cr_expect_eq(r->prediction.n, 1);
	cr_expect(r->created.swapped && r->created.atomic_seen && r->created.ordered);
	cr_expect_str_eq(r->created.side[1].site.module, "prog");
	cr_expect_eq(r->created.side[1].locks[0].stack[1].offset, 2);
	cr_expect_null(r->created.side[1].locks[0].stack[1].module);
	cr_assert_eq(r->n_created_at, 2);
	cr_expect_eq(r->created_at[1].offset, 9);
	cr_expect_eq(r->deadlock.list[0].operation, RFS_OP_LOCK);
	cr_expect_eq(r->deadlock.list[0].acquired[0].step, 41);
	cr_expect_eq(r->deadlock.list[0].acquired[0].stack[0].offset, 7);
	cr_assert_eq(r->cycles.n, 1);
	cr_expect_eq(rfs_cycle_compare(&r->cycles.list[0], &sent.result.cycles.list[0]), 0);
	cr_expect_null(r->cycles.list[0].parts[0].held.site.module);
	cr_expect_eq(r->cycles.list[0].parts[1].wanted.object.stack[0].offset, 1);
	cr_expect(r->cycles_cut);
	cr_assert_eq(r->violations.n, 1);
	cr_expect_eq(r->violations.list[0].pattern, RFS_ATOMICITY_WRW);
	cr_expect_eq(r->violations.list[0].distance, UINT64_MAX);
	cr_expect_eq(r->violations.list[0].remote.site.offset, 0x30);
	cr_expect(r->violations_cut);
	cr_expect_str_eq(r->warnings[1], "");
	cr_assert_eq(r->n_misuses, 1);
	cr_expect_eq(r->misuses[0].kind, RFS_MISUSE_EXIT_HOLDING);
	cr_expect_eq(r->misuses[0].other, -1);
	cr_expect_eq(r->misuses[0].earlier_is, RFS_EARLIER_WAITS);
	cr_assert_eq(r->misuses[0].n_earlier, 1);
	cr_expect_str_eq(r->misuses[0].earlier[0].module, "prog");
	cr_expect_eq(r->misuses[0].object.address, 0x5000);
	cr_expect_eq(memcmp(r->blob.data, "\0\1\2", 3), 0);
	cr_assert_eq(r->covered.size, 2);
	cr_expect_eq(memcmp(r->covered.data, "\2\1", 2), 0);
	cr_expect_eq(r->order[1], 77);
	cr_assert_eq(r->nondet.files.size, 4);
	cr_expect_eq(memcmp(r->nondet.files.data, "\3\0\4\5", 4), 0);
	cr_assert_eq(r->nondet.names.size, 2);
	cr_expect_str_eq(r->nondet.names.data, "f");
	cr_expect_eq(r->nondet.kinds, 3);
	cr_assert_eq(r->policy_stats.n, 1);
	cr_expect(strcmp(r->policy_stats.list[0].key, "thrashings") == 0 && r->policy_stats.list[0].value == 12);
	/* members that are not compared above: if they arrived, encoding them again gives the same bytes */
	rfs_wire_encode(&got, &again, &m);
	cr_assert_eq(m, n);
	cr_expect_eq(memcmp(bytes, again, n), 0);
	free(bytes);
	free(again);
	rfs_reply_release(&sent);
	rfs_reply_release(&got);
}

Test(wire, carries_an_error)
{
	struct rfs_reply sent = {.error = -ENOENT, .why = (char[]){"no such program"}}, got;
	uint8_t *bytes;
	size_t n;

	rfs_wire_encode(&sent, &bytes, &n);
	cr_assert_eq(rfs_wire_decode(bytes, n, &got), 0);
	cr_expect_eq(got.error, -ENOENT);
	cr_expect_str_eq(got.why, "no such program");
	free(bytes);
	rfs_reply_release(&got);
}

Test(wire, refuses_what_is_cut_short)
{
	struct rfs_reply sent, got;
	uint8_t *bytes;
	size_t n;

	set_reply(&sent);
	rfs_wire_encode(&sent, &bytes, &n);
	for (size_t cut = 0; cut < n; cut++) {
		/* a copy of exactly this size, so that a sanitizer sees a read beyond it */
		uint8_t *part = malloc(cut ? cut : 1);

		memcpy(part, bytes, cut);
		cr_assert_eq(rfs_wire_decode(part, cut, &got), -EBADMSG, "%zu of %zu bytes", cut, n);
		free(part);
	}
	free(bytes);
	rfs_reply_release(&sent);
}

enum { UNSPOILT, SPOILT = 17 };

static void set_number(void *member, int number)
{
	memcpy(member, &number, sizeof(number));
}

/* Makes one member invalid. number: one that no enum has. */
static void spoil(struct rfs_run_result *r, int which, int number)
{
	switch (which) {
	case 1:
		return set_number(&r->end, number);
	case 2:
		return set_number(&r->restart, number);
	case 3:
		return set_number(&r->violations.list[0].pattern, number);
	case 4:
		return set_number(&r->violations.list[0].data.kind, number);
	case 5:
		return set_number(&r->deadlock.list[0].operation, number);
	case 6:
		return set_number(&r->misuses[0].kind, number);
	case 7:
		return set_number(&r->faults[0].fault, number);
	case 8:
		return set_number(&r->created.side[1].object.kind, number);
	case 14:
		return set_number(&r->misuses[0].earlier_is, number);
	case 15:
		return set_number(&r->misuses[0].is, number);
	case 16:
		return set_number(&r->misuses[0].used_as, number);
	case 9:
		r->costs.wall_seconds = number < 0 ? -1 : NAN;
		return;
	case 10:
		r->costs.cpu_seconds = number < 0 ? -INFINITY : INFINITY;
		return;
	case 11:
		free(r->warnings[1]);
		r->warnings[1] = NULL;
		return;
	case 12:
		free(r->modules[0].path);
		r->modules[0].path = NULL;
		return;
	case 13:
		rfs_cycle_release(&r->cycles.list[0]);
	}
}

/* What no rfsup writes; in a part of a shard, somebody may have written it. */
Test(wire, refuses_what_no_result_has)
{
	for (int i = 0; i < 2 * SPOILT; i++) {
		struct rfs_reply sent, got;
		uint8_t *bytes;
		size_t n;

		set_reply(&sent);
		sent.result.n_faults = 1;
		sent.result.faults = xcalloc(1, sizeof(*sent.result.faults));
		sent.result.faults[0] =
			(struct rfs_fault_taken){.call = xstrdup("malloc"), .effect = xstrdup("returned NULL")};
		spoil(&sent.result, i / 2, i % 2 ? 1000 : -1);
		rfs_wire_encode(&sent, &bytes, &n);
		cr_expect_eq(rfs_wire_decode(bytes, n, &got), i / 2 == UNSPOILT ? 0 : -EBADMSG, "%d", i);
		rfs_reply_release(&got);
		free(bytes);

		rfs_reply_release(&sent);
	}
}

/* A count that many bytes follow: the elements that fit no bytes are not made. */
Test(wire, a_damaged_count_takes_little_memory)
{
	const struct rfs_reply none = {0};
	struct rlimit limit, low;
	struct rfs_reply got;
	uint8_t *bytes, *large;
	size_t n, m = 8 << 20;

	rfs_wire_encode(&none, &bytes, &n);
	large = xcalloc(m, 1);
	memcpy(large, bytes, n);
	m -= 8;
	memcpy(large, &m, 8);
	cr_assert_eq(getrlimit(RLIMIT_DATA, &limit), 0);
	low = limit;
#ifndef __SANITIZE_ADDRESS__ /* it maps more than that */
	low.rlim_cur = (rlim_t)256 << 20;
#endif
	cr_assert_eq(setrlimit(RLIMIT_DATA, &low), 0);
	for (size_t at = 8; at + 8 <= n; at++) {
		uint8_t was[8];
		const uint64_t count = 7 << 20;

		memcpy(was, large + at, 8);
		memcpy(large + at, &count, 8);
		if (rfs_wire_decode(large, m + 8, &got) == 0)
			rfs_reply_release(&got);
		memcpy(large + at, was, 8);
	}
	free(large);
	free(bytes);
}

Test(wire, survives_damage)
{
	struct rfs_reply sent, got;
	uint8_t *bytes;
	size_t n;

	set_reply(&sent);
	rfs_wire_encode(&sent, &bytes, &n);
	for (size_t at = 8; at < n; at++) {
		uint8_t was = bytes[at];

		/* the decoder notices a wrong length; it cannot notice a wrong number, but no byte may cause a crash */
		bytes[at] = 0xff;
		if (rfs_wire_decode(bytes, n, &got) == 0)
			rfs_reply_release(&got);
		bytes[at] = was;
	}
	free(bytes);
	rfs_reply_release(&sent);
}

Test(wire, output_comes_with_the_reply)
{
	struct rfs_reply reply = {.served = true, .output = {{.data = xstrdup("text"), .size = 4}, {0}}}, out;
	uint8_t *bytes;
	size_t n;

	rfs_wire_encode(&reply, &bytes, &n);
	cr_assert_eq(rfs_wire_decode(bytes, n, &out), 0);
	cr_expect(out.served && !out.filed);
	cr_expect_eq(out.output[0].size, 4);
	cr_expect_eq(memcmp(out.output[0].data, "text", 4), 0);
	cr_expect_eq(out.output[1].size, 0);
	rfs_reply_release(&out);
	rfs_reply_release(&reply);
	free(bytes);
}

Test(wire, a_request_arrives_whole_or_not_at_all)
{
	char name[] = "run-1", options[] = "flip=3", blob[] = "blob", module[] = "/lib/x.so";
	const struct rfs_request requests[] = {
		{.name = name, .seed = UINT64_MAX},
		{.name = name, .policy_options = options, .has_blob = true, .blob = {.data = blob, .size = 5}},
		{.name = name, .has_blob = true},
		{.name = name, .stood = true, .policy = 1},
		{.name = name, .detector = 7, .pair = {{module, 16}, {module, 32}}},
	};

	for (size_t i = 0; i < sizeof(requests) / sizeof(*requests); i++) {
		const struct rfs_request *in = &requests[i];
		struct rfs_request out;
		uint8_t *bytes;
		size_t n;

		rfs_wire_encode_request(in, &bytes, &n);
		for (size_t cut = 0; cut < n; cut++) {
			cr_expect_not(rfs_wire_whole(bytes, cut));
			cr_expect_eq(rfs_wire_decode_request(bytes, cut, &out), -EBADMSG);
		}
		cr_expect(rfs_wire_whole(bytes, n));
		cr_assert_eq(rfs_wire_decode_request(bytes, n, &out), 0);
		cr_expect_str_eq(out.name, name);
		cr_expect_eq(out.seed, in->seed);
		cr_expect_eq(out.policy, in->policy);
		cr_expect_eq(out.has_blob, in->has_blob);
		cr_expect_eq(out.blob.size, in->blob.size);
		cr_expect_eq(out.stood, in->stood);
		cr_expect_eq(out.policy_options != NULL, in->policy_options != NULL);
		cr_expect_eq(out.detector, in->detector);
		for (int k = 0; k < 2; k++) {
			cr_expect_eq(out.pair[k].module != NULL, in->pair[k].module != NULL);
			cr_expect_eq(out.pair[k].offset, in->pair[k].offset);
		}
		rfs_request_release(&out);
		free(bytes);
	}
}
