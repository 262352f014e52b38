/*
 * files.c - Landlock (Linux 5.13). It needs no privileges, and the process cannot undo it. Before Linux 6.2 it does not
 * know truncate(2), and it never refuses changes of modes, owners and times.
 */
#include "supervisor/generate/driver/files.h"

#include <fcntl.h>
#include <linux/landlock.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

/* older headers do not have it */
#define TRUNCATE (1ULL << 14)
#define OF_FILES (LANDLOCK_ACCESS_FS_WRITE_FILE | TRUNCATE)
#define OF_FOLDERS                                                                                                     \
	(LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR |               \
	 LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK |                    \
	 LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM |                  \
	 LANDLOCK_ACCESS_FS_REFER)
/* The first versions of Landlock with these. */
#define HAS_REFER 2
#define HAS_TRUNCATE 3

static void allow(int rules, const char *path, uint64_t access)
{
	const int fd = open(path, O_PATH | O_CLOEXEC);
	const struct landlock_path_beneath_attr rule = {.allowed_access = access, .parent_fd = fd};

	if (fd < 0)
		return;
	syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
	close(fd);
}

int rfs_driver_files_rules(const char *folder)
{
	/* tests get descriptors of /dev/zero, and the driver's output goes to /dev/null */
	static const char *const devices[] = {"/dev/null", "/dev/zero", "/dev/full"};
	const long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
	const uint64_t unknown =
		(version < HAS_REFER ? LANDLOCK_ACCESS_FS_REFER : 0) | (version < HAS_TRUNCATE ? TRUNCATE : 0);
	const struct landlock_ruleset_attr attributes = {.handled_access_fs = (OF_FILES | OF_FOLDERS) & ~unknown};
	const int rules =
		version < 1 ? -1 : (int)syscall(SYS_landlock_create_ruleset, &attributes, sizeof(attributes), 0);

	if (rules < 0)
		return -1;
	allow(rules, folder, attributes.handled_access_fs);
	for (size_t i = 0; i < sizeof(devices) / sizeof(*devices); i++)
		allow(rules, devices[i], OF_FILES & ~unknown);
	return rules;
}

void rfs_driver_files_protect(int rules)
{
	if (rules < 0)
		return;
	syscall(SYS_landlock_restrict_self, rules, 0);
	close(rules);
}
