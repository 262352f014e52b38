/* program.h - the program that is tested; cli/program.h finds it. */
#ifndef RFS_PROGRAM_H
#define RFS_PROGRAM_H

struct rfs_program {
	char *path;   /* absolute; an x86-64 ELF file */
	char **argv;  /* its arguments; ends with NULL; argv[0] is what the kernel would pass */
	char *script; /* the script that PROGRAM names, if path is its interpreter; NULL if PROGRAM is not a script */
};

#endif
