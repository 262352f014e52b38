/*
 * stops.h - the cost of stopping and resuming a thread, with ptrace alone and through tracer/.
 *
 * Each of two targets loops over one instruction on the caller's core. A batch runs one target while the other is
 * stopped, so batches of both can alternate.
 */
#ifndef RFS_TESTS_BENCH_STOPS_H
#define RFS_TESTS_BENCH_STOPS_H

struct bench_stops;

/*
 * program: the path of this program. If its only argument is BENCH_STOPS_WORD, it calls bench_stops_loop(). core: where
 * both targets and the caller run. Any error ends the program. Caller frees.
 */
struct bench_stops *bench_stops_new(const char *program, int core);
void bench_stops_free(struct bench_stops *stops);
/* Microseconds of one round trip with ptrace alone: int3, wait, PTRACE_CONT. */
double bench_stops_bare(struct bench_stops *stops, int n);
/*
 * Microseconds of one stop: a breakpoint at an instruction with a memory operand, rfs_tracer_wait(), rfs_task_resume().
 */
double bench_stops_breakpoint(struct bench_stops *stops, int n);

#define BENCH_STOPS_WORD "--loop"
void bench_stops_loop(void) __attribute__((noreturn));

#endif
