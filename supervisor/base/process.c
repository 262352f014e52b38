#include "supervisor/base/process.h"

#include <stdio.h>
#include <string.h>

pid_t rfs_process_parent(pid_t pid)
{
	char path[64], text[512], *end;
	int parent = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	file = fopen(path, "re");
	if (!file)
		return 0;
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	/* the name may contain blanks and parentheses, so reading begins after the last ')' */
	end = strrchr(text, ')');
	return end && sscanf(end + 1, " %*c %d", &parent) == 1 ? parent : 0;
}
