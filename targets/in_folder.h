/*
 * A folder of its own for a target that needs names of files: several runs may be made at the same time. The target
 * works in it, and removes it before it ends or fails.
 */
#ifndef TARGETS_IN_FOLDER_H
#define TARGETS_IN_FOLDER_H

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "target.h"

static char own_folder[] = "/tmp/rfsup-target-XXXXXX";

static inline void enter_folder(void)
{
	if (!mkdtemp(own_folder) || chdir(own_folder))
		fail("no folder");
}

/* name: of a file in it, which may be gone. */
static inline void leave_folder(const char *name)
{
	if (chdir(own_folder))
		fail("the folder is gone");
	unlink(name);
	rmdir(own_folder);
}

#endif
