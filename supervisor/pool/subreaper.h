/*
 * subreaper.h - processes that a target or a setup command left behind.
 *
 * A child subreaper (prctl(2)) becomes the parent of every orphan among its descendants, sessions and process groups
 * notwithstanding. So whoever wants nothing to survive becomes one and kills its children until there are no more.
 */
#ifndef RFS_SUBREAPER_H
#define RFS_SUBREAPER_H

#include <stddef.h>
#include <sys/types.h>

/* Makes the calling process the parent of its orphaned descendants. 0 or -errno. */
int rfs_subreaper_adopt(void) __attribute__((warn_unused_result));

/*
 * Kills and reaps all children of the calling process but the n in keep, and what they leave behind in turn. Gives up
 * on what does not die within two seconds (a process in the D state): returns how many are left.
 */
size_t rfs_subreaper_kill(const pid_t *keep, size_t n);

#endif
