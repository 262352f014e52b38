/* gdb_signal.c - one table for both directions. */
#include "supervisor/gdb/gdb_signal.h"

#include <signal.h>
#include <stddef.h>

#include "supervisor/kernel/signals/signals.h"

#define UNKNOWN 143

/* From gdb/signals.def. Signals 32 and 64 are not in the range of the real-time signals below. */
static const struct {
	int here, gdb;
} table[] = {
	{SIGHUP, 1},   {SIGINT, 2},   {SIGQUIT, 3},  {SIGILL, 4},     {SIGTRAP, 5},  {SIGABRT, 6},   {SIGFPE, 8},
	{SIGKILL, 9},  {SIGBUS, 10},  {SIGSEGV, 11}, {SIGSYS, 12},    {SIGPIPE, 13}, {SIGALRM, 14},  {SIGTERM, 15},
	{SIGURG, 16},  {SIGSTOP, 17}, {SIGTSTP, 18}, {SIGCONT, 19},   {SIGCHLD, 20}, {SIGTTIN, 21},  {SIGTTOU, 22},
	{SIGIO, 23},   {SIGXCPU, 24}, {SIGXFSZ, 25}, {SIGVTALRM, 26}, {SIGPROF, 27}, {SIGWINCH, 28}, {SIGUSR1, 30},
	{SIGUSR2, 31}, {SIGPWR, 32},  {32, 77},	     {64, 78},
};

/* Real-time signals 33 to 63 have gdb's numbers 45 to 75. */
#define REAL_TIME_FIRST 33
#define REAL_TIME_LAST 63
#define REAL_TIME_OFFSET 12

int rfs_gdb_signal_to(int signo)
{
	if (signo == 0)
		return 0;
	if (signo >= REAL_TIME_FIRST && signo <= REAL_TIME_LAST)
		return signo + REAL_TIME_OFFSET;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		if (table[i].here == signo)
			return table[i].gdb;
	return UNKNOWN;
}

int rfs_gdb_signal_from(int number)
{
	if (number >= REAL_TIME_FIRST + REAL_TIME_OFFSET && number <= REAL_TIME_LAST + REAL_TIME_OFFSET)
		return number - REAL_TIME_OFFSET;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		if (table[i].gdb == number)
			return table[i].here;
	return 0;
}

bool rfs_gdb_signal_kills(const struct rfs_run *run, int signo)
{
	return rfs_signal_is_default(run, signo) && !rfs_signal_is_ignored(run, signo) && signo != SIGSTOP &&
	       signo != SIGTSTP && signo != SIGTTIN && signo != SIGTTOU;
}
