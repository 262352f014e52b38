/*
 * stops.h - the cost of stopping and resuming a thread: with bare ptrace, and through tracer/.
 *
 * Both targets loop over one instruction on the caller's core; a batch lets one of them run while the other one stays
 * stopped, so that batches can be taken in turn.
 */
#ifndef RFS_TESTS_BENCH_STOPS_H
#define RFS_TESTS_BENCH_STOPS_H

struct bench_stops;

/*
 * program: this program's own file, which calls bench_stops_loop() when it is run with BENCH_STOPS_WORD as its only
 * word. core: the core for all of it, including the caller. Ends the program if anything fails. Caller frees.
 */
struct bench_stops *bench_stops_new(const char *program, int core);
void bench_stops_free(struct bench_stops *stops);
/* Microseconds a round trip: an int3, the wait, PTRACE_CONT. */
double bench_stops_bare(struct bench_stops *stops, int n);
/* Microseconds a stop: a breakpoint on an instruction with a memory operand, rfs_tracer_wait(), rfs_task_resume(). */
double bench_stops_breakpoint(struct bench_stops *stops, int n);

#define BENCH_STOPS_WORD "--loop"
void bench_stops_loop(void) __attribute__((noreturn));

#endif
