/*
 * files.h - which files generated tests may change. A path may come from anywhere: from the environment, from the
 * library itself, or from memory that a call with random arguments has overwritten.
 */
#ifndef RFS_DRIVER_FILES_H
#define RFS_DRIVER_FILES_H

/*
 * Rules that let a process write, make and remove files only below the folder. They hold for this folder even if
 * another gets its name later. A descriptor; -1: this kernel has no such rules.
 */
int rfs_driver_files_rules(const char *folder);

/* From now on, the rules hold for this thread and what it starts. PR_SET_NO_NEW_PRIVS must be set. Closes them. */
void rfs_driver_files_protect(int rules);

#endif
