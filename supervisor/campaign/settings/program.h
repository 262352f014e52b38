/* program.h - the program under test. cli/program.h finds the file that PROGRAM names. */
#ifndef RFS_PROGRAM_H
#define RFS_PROGRAM_H

struct rfs_program {
	char *path;   /* absolute path of an x86-64 ELF file */
	char **argv;  /* its arguments, ending with NULL; argv[0] as the kernel would set it */
	char *script; /* if PROGRAM is a script: its path, and `path` is its interpreter; otherwise NULL */
};

#endif
