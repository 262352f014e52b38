/*
 * subreaper.h - kills processes that a target or a setup command left behind.
 *
 * A child subreaper (prctl(2)) becomes the parent of every orphan among its descendants, in any session and process
 * group. So a process that must leave nothing behind becomes a subreaper, and kills its children until there are no
 * more.
 */
#ifndef RFS_SUBREAPER_H
#define RFS_SUBREAPER_H

#include <stddef.h>
#include <sys/types.h>

/* Makes the calling process the parent of its orphaned descendants. 0 or -errno. */
int rfs_subreaper_adopt(void) __attribute__((warn_unused_result));

/*
 * Kills and reaps all children of the calling process, and all orphans that become its children. Spares the n processes
 * in keep. Gives up if a process does not die within two seconds (a process in the D state). Returns how many processes
 * are left.
 */
size_t rfs_subreaper_kill(const pid_t *keep, size_t n);

/*
 * Makes rfs_subreaper_kill() spare a child that lives longer than one pool, and that the caller ends itself. There is
 * at most one. 0: no child is spared.
 */
void rfs_subreaper_spare(pid_t child);

#endif
