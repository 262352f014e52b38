/*
 * detectors.c - the cost of the detectors alone. They get artificial streams of accesses, in blocks of one thread as in
 * a real run. A separate process measures each line: its CPU time and its peak memory.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "disasm/addr.h"
#include "policy/core/rng.h"
#include "policy/policy.h"
#include "policy/registry.h"
#include "tests/bench/bench.h"

#define BATCH 256 /* as in supervisor/state/core/stream.c */
#define DATA UINT64_C(0x7f0000000000)
#define LOCKS UINT64_C(0x600000000000)
#define SIZE 8 /* bytes of each access */

enum { READ = RFS_ACCESS_READ | RFS_ACCESS_ALIGNED_MOVE, WRITE = RFS_ACCESS_WRITE | RFS_ACCESS_ALIGNED_MOVE };

struct shape {
	unsigned threads;
	uint64_t accesses, bytes, locks; /* bytes: size of all data; locks: 0 means none */
};

struct told {
	const struct rfs_detector_ops *ops;
	void *state;
	struct rfs_access batch[BATCH];
	size_t n;
	int thread;
	uint64_t accesses, events;
};

static void flush(struct told *told)
{
	if (told->n > 0)
		told->ops->accesses(told->state, told->thread, told->batch, told->n);
	told->accesses += told->n;
	told->n = 0;
}

static void event(struct told *told, struct rfs_event what)
{
	flush(told);
	told->ops->event(told->state, &what);
	told->events++;
}

static void touch(struct told *told, int thread, rfs_site site, rfs_addr address, unsigned access)
{
	if (told->n == BATCH || told->thread != thread)
		flush(told);
	told->thread = thread;
	told->batch[told->n++] = (struct rfs_access){site, address, SIZE, access};
}

static void on_lock(struct told *told, enum rfs_event_kind kind, int thread, rfs_addr lock)
{
	event(told, (struct rfs_event){.kind = kind, .thread = thread, .op = {.kind = RFS_OP_LOCK, .object = lock}});
}

static void message(struct told *told, enum rfs_event_kind kind, int thread, uint64_t number)
{
	event(told, (struct rfs_event){.kind = kind, .thread = thread, .message = number});
}

/* Each thread goes through its own part of the data again and again, and reads and writes each word. */
static void sweep(struct told *told, const struct shape *shape)
{
	uint64_t words = shape->bytes / SIZE / shape->threads;

	while (told->accesses < shape->accesses)
		for (unsigned t = 0; t < shape->threads; t++)
			for (uint64_t i = 0; i < words && told->accesses < shape->accesses; i++) {
				rfs_addr address = DATA + (t * words + i) * SIZE;

				touch(told, (int)t, 1, address, READ);
				touch(told, (int)t, 2, address, WRITE);
			}
}

/* All threads read data that the first thread wrote before it created the others. */
static void shared(struct told *told, const struct shape *shape)
{
	uint64_t words = shape->bytes / SIZE;

	for (uint64_t i = 0; i < words; i++)
		touch(told, 0, 1, DATA + i * SIZE, WRITE);
	for (unsigned t = 1; t < shape->threads; t++)
		event(told, (struct rfs_event){.kind = RFS_EVENT_THREAD, .thread = (int)t, .op = {.peer = 0}});
	while (told->accesses < shape->accesses)
		for (unsigned t = 0; t < shape->threads; t++)
			for (uint64_t i = 0; i < words && told->accesses < shape->accesses; i++)
				touch(told, (int)t, 2, DATA + i * SIZE, READ);
}

/* Each lock protects a counter. A thread takes a random lock, and reads and writes its counter. */
static void locked(struct told *told, const struct shape *shape)
{
	struct rfs_rng rng;

	rfs_rng_init(&rng, 1);
	while (told->accesses + told->n < shape->accesses) {
		uint64_t i = rfs_rng_below(&rng, shape->locks);
		int thread = (int)rfs_rng_below(&rng, shape->threads);

		on_lock(told, RFS_EVENT_ACQUIRE, thread, LOCKS + 40 * i);
		touch(told, thread, 1, DATA + 64 * i, READ);
		touch(told, thread, 2, DATA + 64 * i, WRITE);
		on_lock(told, RFS_EVENT_RELEASE, thread, LOCKS + 40 * i);
	}
}

/* In each phase, a thread writes its own part and reads the part that its neighbour wrote in the phase before. */
static void phases(struct told *told, const struct shape *shape)
{
	uint64_t words = shape->bytes / SIZE / shape->threads / 2;

	for (uint64_t phase = 0; told->accesses < shape->accesses; phase++) {
		for (unsigned t = 0; t < shape->threads; t++)
			for (uint64_t i = 0; i < words; i++) {
				uint64_t old = (phase & 1) * words * shape->threads, new = words * shape->threads - old;
				uint64_t neighbour = (t + 1) % shape->threads;

				touch(told, (int)t, 1, DATA + (old + neighbour * words + i) * SIZE, READ);
				touch(told, (int)t, 2, DATA + (new + t *words + i) * SIZE, WRITE);
			}
		for (unsigned t = 0; t < shape->threads; t++)
			message(told, RFS_EVENT_SEND, (int)t, phase);
		for (unsigned t = 0; t < shape->threads; t++)
			message(told, RFS_EVENT_RECEIVE, (int)t, phase);
	}
}

/* Each thread accesses a few words of its own again and again, from eight statements. */
static void loop(struct told *told, const struct shape *shape)
{
	while (told->accesses < shape->accesses)
		for (unsigned t = 0; t < shape->threads; t++)
			for (unsigned i = 0; i < 4096; i++)
				touch(told, (int)t, 1 + i % 8, DATA + t * 4096 + i % 64 * SIZE, i % 8 ? READ : WRITE);
}

struct stream {
	const char *name;
	void (*tell)(struct told *told, const struct shape *shape);
};

static const struct stream private_sweep = {"private sweep", sweep}, read_only = {"shared, read only", shared},
			   counters = {"counters under locks", locked}, barriers = {"barrier phases", phases},
			   hot_loop = {"hot loop", loop};

/*
 * Runs in a separate process. Gives the stream to the detector, and writes the numbers of accesses and events to out.
 */
static void measure(const char *detector, const struct stream *stream, const struct shape *shape, int out)
{
	static struct told told;
	uint64_t counts[2];

	told.ops = rfs_detector_find(detector);
	if (told.ops->init(&told.state, &(struct rfs_policy_args){.seed = 1}))
		_exit(1);
	stream->tell(&told, shape);
	flush(&told);
	counts[0] = told.accesses;
	counts[1] = told.events;
	_exit(write(out, counts, sizeof(counts)) != sizeof(counts));
}

static void line(const char *detector, const struct stream *stream, struct shape shape)
{
	uint64_t counts[2];
	struct rusage usage;
	double seconds, all;
	int ends[2], status;
	pid_t child;

	fflush(stdout);
	if (pipe(ends))
		bench_die("pipe");
	child = fork();
	if (child == 0)
		measure(detector, stream, &shape, ends[1]);
	close(ends[1]);
	if (child < 0 || wait4(child, &status, 0, &usage) != child || status ||
	    read(ends[0], counts, sizeof(counts)) != sizeof(counts))
		bench_die("%s on %s did not end well", detector, stream->name);
	close(ends[0]);
	seconds = (double)usage.ru_utime.tv_sec + (double)usage.ru_utime.tv_usec / 1e6 + (double)usage.ru_stime.tv_sec +
		  (double)usage.ru_stime.tv_usec / 1e6;
	all = (double)(counts[0] + counts[1]);
	printf("%-10s %-22s %7u %10.0e %8.0f %8lu %9.1f %9.1f %8.0f\n", detector, stream->name, shape.threads,
	       (double)counts[0], (double)shape.bytes / 1e6, (unsigned long)shape.locks, all / seconds / 1e6,
	       seconds / all * 1e9, (double)usage.ru_maxrss / 1e3);
}

#define MB UINT64_C(1000000)

static void lines(const char *detector, unsigned shrink)
{
	const uint64_t some = 20 * MB / shrink, bytes = 4 * MB / shrink;

	line(detector, &hot_loop, (struct shape){4, some, 4096 * 4, 0});
	for (uint64_t n = 10000; n <= 100 * MB; n *= 10)
		line(detector, &private_sweep, (struct shape){4, n / shrink, bytes, 0});
	for (uint64_t data = 10 * MB; data <= 1000 * MB; data *= 10)
		line(detector, &private_sweep,
		     (struct shape){4, 5 * data / SIZE / shrink, data / shrink, 0}); /* 2.5 times over all data */
	for (unsigned t = 1; t <= 64; t *= 4)
		line(detector, &read_only, (struct shape){t, some, bytes / 4, 0});
	for (unsigned t = 1; t <= 64; t *= 4)
		line(detector, &barriers, (struct shape){t, some, bytes, 0});
	for (unsigned t = 1; t <= 64; t *= 4)
		line(detector, &counters, (struct shape){t, some / 20, 0, 10});
	for (uint64_t locks = 100; locks <= 100000; locks *= 10)
		line(detector, &counters, (struct shape){4, some / 20, 0, locks});
}

void bench_detectors(const struct bench *bench)
{
	bench_pin(bench->core);
	printf("\ndetectors by themselves: accesses and events in CPU seconds, all of a process; its peak memory\n\n");
	printf("%-10s %-22s %7s %10s %8s %8s %9s %9s %8s\n", "detector", "stream", "threads", "accesses", "data MB",
	       "locks", "million/s", "ns each", "peak MB");
	lines("hybrid", bench->shrink);
	lines("fasttrack", bench->shrink);
	bench_pin(-1);
}
