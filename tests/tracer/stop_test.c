/* stop_test.c - from wait statuses, as literal numbers, to typed stops. */
#include "tracer/process/stop-priv.h"

#include <criterion/criterion.h>

TestSuite(stop, .timeout = 30);

static const struct {
	int status;
	enum rfs_raw_kind kind;
	int value;
	bool core;
} statuses[] = {
	{0x0000, RFS_RAW_EXITED, 0, false},	{0x2a00, RFS_RAW_EXITED, 42, false},
	{0xff00, RFS_RAW_EXITED, 255, false},	{0x0009, RFS_RAW_KILLED, 9, false},
	{0x008b, RFS_RAW_KILLED, 11, true},	{0x0b7f, RFS_RAW_SIGNAL, 11, false},
	{0x137f, RFS_RAW_SIGNAL, 19, false},	{0x057f, RFS_RAW_TRAP, 5, false},
	{0x857f, RFS_RAW_SYSCALL, 0x85, false}, {0x1057f, RFS_RAW_FORK, 5, false},
	{0x2057f, RFS_RAW_VFORK, 5, false},	{0x3057f, RFS_RAW_CLONE, 5, false},
	{0x4057f, RFS_RAW_EXEC, 5, false},	{0x5057f, RFS_RAW_VFORK_DONE, 5, false},
	{0x6057f, RFS_RAW_EXIT, 5, false},	{0x7057f, RFS_RAW_SECCOMP, 5, false},
	{0x80057f, RFS_RAW_STOP, 5, false},	{0x80137f, RFS_RAW_GROUP, 19, false},
	{0x80147f, RFS_RAW_GROUP, 20, false},	{0x80157f, RFS_RAW_GROUP, 21, false},
	{0x90057f, RFS_RAW_UNKNOWN, 5, false},	{0xffff, RFS_RAW_UNKNOWN, 0, false},
};

Test(stop, decode)
{
	for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++) {
		struct rfs_raw raw = rfs_stop_decode(statuses[i].status);

		cr_expect_eq(raw.kind, statuses[i].kind, "%#x: kind %d", statuses[i].status, raw.kind);
		cr_expect_eq(raw.value, statuses[i].value, "%#x: value %d", statuses[i].status, raw.value);
		cr_expect_eq(raw.core, statuses[i].core, "%#x", statuses[i].status);
	}
}
