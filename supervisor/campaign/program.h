/* program.h - the program that is tested; cli/program.h finds it. */
#ifndef RFS_PROGRAM_H
#define RFS_PROGRAM_H

struct rfs_program {
	char *path;   /* absolute: an x86-64 ELF file */
	char **argv;  /* its arguments, ends with NULL; argv[0] as the kernel would give it */
	char *script; /* the script that PROGRAM names, whose interpreter path is; NULL where PROGRAM is no script */
};

#endif
