/* rules.c - the table of rules, and which one a finding belongs to. */
#include "supervisor/report/machine/rules.h"

#include "supervisor/report/data/report.h"
#include "supervisor/report/data/report_groups.h"

#define REPLAY "rfsup --replay shows the run again; with --gdb, a debugger opens at the place."

enum { HARMFUL_RACE, RACE, DEADLOCK, HANG, CRASH, FAILURE, MISUSE, ATOMICITY, ORDER };

const struct rfs_rule rfs_rules[] = {
	[HARMFUL_RACE] = {"harmful-race",
			  "A data race was created, and whether the program fails depends on its order.",
			  "Order the two accesses, for example with one lock for both. " REPLAY, "error"},
	[RACE] = {"race", "A data race was created: two threads were right before conflicting accesses at once.",
		  "Order the two accesses, or make both atomic. " REPLAY, "warning"},
	[DEADLOCK] = {"deadlock", "Threads wait for each other for ever.",
		      "Acquire the locks in one order in all threads. " REPLAY, "error"},
	[HANG] = {"hang", "The program does not end in a schedule, although it ends in others.",
		  "Look at where each thread was. " REPLAY, "error"},
	[CRASH] = {"crash", "The program is ended by a signal in a schedule, although it passes in others.",
		   "Look at the schedule in the report. " REPLAY, "error"},
	[FAILURE] = {"failure", "The program reports a failure in a schedule, although it passes in others.",
		     "Look at the schedule in the report. " REPLAY, "error"},
	[MISUSE] = {"misuse", "The program uses the thread library in a way that its manual forbids.",
		    "See the manual page of the function.", "note"},
	[ATOMICITY] = {"atomicity-violation",
		       "The program fails if another thread changes data between two critical sections of a thread.",
		       "Make one critical section of the two, or check the data again in the second. " REPLAY, "error"},
	[ORDER] = {"order-violation",
		   "The program fails if two operations of different threads come in the other order, which only a "
		   "lock separates.",
		   "Order the two operations, for example by waiting for the first. " REPLAY, "error"},
	{0},
};

size_t rfs_rule_of(const struct rfs_report_item *item)
{
	static const size_t of_class[RFS_FAILURE_CLASSES] = {
		[RFS_FAILURE_OF_ATOMICITY] = ATOMICITY,
		[RFS_FAILURE_OF_ORDER] = ORDER,
		[RFS_FAILURE_DEADLOCKED] = DEADLOCK,
		[RFS_FAILURE_HANGING] = HANG,
		[RFS_FAILURE_CRASH] = CRASH,
		[RFS_FAILURE_OTHER] = FAILURE,
	};

	if (item->pair)
		return item->pair->verdict == RFS_VERDICT_HARMFUL ? HARMFUL_RACE : RACE;
	return item->deadlock ? DEADLOCK : of_class[rfs_report_failure_class(item->failure)];
}

size_t rfs_rule_of_misuse(void)
{
	return MISUSE;
}
