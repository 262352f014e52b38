/* library_data.c - the tables of these functions. */
#include "supervisor/access/calls/library_data.h"

#include <string.h>

/*
 * Functions that keep data to themselves. data: the function whose address is used for these data. A function that uses
 * those of two functions has two rows.
 */
static const struct {
	const char *name, *data;
	bool write;
} hidden[] = {
	{"getenv", "setenv", false},
	{"secure_getenv", "setenv", false},
	{"setenv", "setenv", true},
	{"unsetenv", "setenv", true},
	{"putenv", "setenv", true},
	{"clearenv", "setenv", true},
	{"strtok", "strtok", true},
	{"gmtime", "localtime", true},
	{"localtime", "localtime", true},
	{"ctime", "localtime", true},
	{"ctime", "asctime", true},
	{"asctime", "asctime", true},
	{"setlocale", "setlocale", true},
	{"localeconv", "setlocale", false},
	{"localeconv", "localeconv", true},
	{"nl_langinfo", "setlocale", false},
	/* the last number; the factor and the summand, which alone are used if the caller keeps the number */
	{"drand48", "drand48", true},
	{"drand48", "erand48", false},
	{"lrand48", "drand48", true},
	{"lrand48", "erand48", false},
	{"mrand48", "drand48", true},
	{"mrand48", "erand48", false},
	{"erand48", "erand48", false},
	{"nrand48", "erand48", false},
	{"jrand48", "erand48", false},
	{"srand48", "drand48", true},
	{"srand48", "erand48", true},
	{"seed48", "drand48", true},
	{"seed48", "erand48", true},
	{"lcong48", "drand48", true},
	{"lcong48", "erand48", true},
	{"getpwnam", "getpwnam", true},
	{"getpwuid", "getpwuid", true},
	{"getpwent", "getpwent", true},
	{"setpwent", "getpwent", true},
	{"endpwent", "getpwent", true},
	{"getgrnam", "getgrnam", true},
	{"getgrgid", "getgrgid", true},
	{"getgrent", "getgrent", true},
	{"setgrent", "getgrent", true},
	{"endgrent", "getgrent", true},
	{"getspnam", "getspnam", true},
	{"gethostbyname", "gethostbyname", true},
	{"gethostbyname2", "gethostbyname2", true},
	{"gethostbyaddr", "gethostbyaddr", true},
	{"gethostent", "gethostent", true},
	{"getservbyname", "getservbyname", true},
	{"getservbyport", "getservbyport", true},
	{"getservent", "getservent", true},
	{"getprotobyname", "getprotobyname", true},
	{"getprotobynumber", "getprotobynumber", true},
	{"getnetbyname", "getnetbyname", true},
	{"getlogin", "getlogin", true},
	{"ttyname", "ttyname", true},
	{"ptsname", "ptsname", true},
	{"ether_ntoa", "ether_ntoa", true},
	{"ecvt", "ecvt", true},
	{"fcvt", "fcvt", true},
	{"l64a", "l64a", true},
	{"hcreate", "hsearch", true},
	{"hdestroy", "hsearch", true},
	{"hsearch", "hsearch", true},
	{"tmpnam", "tmpnam", true},
	{"getopt", "getopt", true},
	{"getopt_long", "getopt", true},
	{"getopt_long_only", "getopt", true},
	{"getmntent", "getmntent", true},
};

/*
 * argument: the number of the one that is the stream or the folder. A folder has a lock, but it does not help: what
 * readdir() returns is in the buffer of the folder.
 */
static const struct {
	const char *name;
	unsigned argument;
	bool write;
} objects[] = {
	{"fclose", 0, true},
	{"pclose", 0, true},
	{"fflush", 0, false},
	{"fprintf", 0, false},
	{"__fprintf_chk", 0, false},
	{"vfprintf", 0, false},
	{"__vfprintf_chk", 0, false},
	{"fscanf", 0, false},
	{"__isoc99_fscanf", 0, false},
	{"__isoc23_fscanf", 0, false},
	{"fputs", 1, false},
	{"fgets", 2, false},
	{"fwrite", 3, false},
	{"fread", 3, false},
	{"getline", 2, false},
	{"getdelim", 3, false},
	{"fseek", 0, false},
	{"fseeko", 0, false},
	{"ftell", 0, false},
	{"ftello", 0, false},
	{"rewind", 0, false},
	{"fgetc", 0, false},
	{"getc", 0, false},
	{"fputc", 1, false},
	{"putc", 1, false},
	{"ungetc", 1, false},
	{"feof", 0, false},
	{"__fgets_chk", 3, false},
	{"setvbuf", 0, false},
	{"__getdelim", 3, false},
	{"closedir", 0, true},
	{"readdir", 0, true},
	{"readdir64", 0, true},
};

bool rfs_library_data_known(const char *function)
{
	for (size_t i = 0; i < sizeof(hidden) / sizeof(*hidden); i++)
		if (strcmp(hidden[i].name, function) == 0)
			return true;
	for (size_t i = 0; i < sizeof(objects) / sizeof(*objects); i++)
		if (strcmp(objects[i].name, function) == 0)
			return true;
	return false;
}

size_t rfs_library_data_look(const char *function, const struct user_regs_struct *regs,
			     struct rfs_library_use out[RFS_LIBRARY_USES_MOST])
{
	const rfs_addr arguments[] = {regs->rdi, regs->rsi, regs->rdx, regs->rcx};
	size_t n = 0;

	/* with a buffer of the caller, tmpnam() has none */
	if (strcmp(function, "tmpnam") == 0 && regs->rdi)
		return 0;
	for (size_t i = 0; i < sizeof(hidden) / sizeof(*hidden) && n < RFS_LIBRARY_USES_MOST; i++)
		if (strcmp(hidden[i].name, function) == 0)
			out[n++] = (struct rfs_library_use){.function = hidden[i].data, .write = hidden[i].write};
	for (size_t i = 0; i < sizeof(objects) / sizeof(*objects) && n < RFS_LIBRARY_USES_MOST; i++)
		if (strcmp(objects[i].name, function) == 0 && arguments[objects[i].argument])
			out[n++] = (struct rfs_library_use){.object = arguments[objects[i].argument],
							    .write = objects[i].write};
	/* without a name of a locale, setlocale() only tells the present one */
	if (n && strcmp(function, "setlocale") == 0 && !regs->rsi)
		out[0].write = false;
	return n;
}
