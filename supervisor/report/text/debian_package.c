/* debian_package.c - searches the lists of files that dpkg keeps. No program is started. */
#include "supervisor/report/text/debian_package.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/base/alloc.h"

/* The path without /usr, because /lib is a link to /usr/lib and a list may have either name. */
static const char *without_usr(const char *path)
{
	return strncmp(path, "/usr/", strlen("/usr/")) == 0 ? path + strlen("/usr") : path;
}

/* Whether a line of the file is the path. */
static bool lists_path(const char *file, const char *path)
{
	FILE *in = fopen(file, "re");
	char *line = NULL;
	size_t room = 0;
	bool found = false;

	while (in && !found && getline(&line, &room, in) > 0) {
		line[strcspn(line, "\n")] = '\0';
		found = strcmp(without_usr(line), without_usr(path)) == 0;
	}
	free(line);
	if (in)
		fclose(in);
	return found;
}

char *rfs_debian_package(const char *lists, const char *path)
{
	DIR *folder = opendir(lists);
	struct dirent *entry;
	char *found = NULL;

	while (folder && !found && (entry = readdir(folder))) {
		size_t n = strlen(entry->d_name), suffix = strlen(".list");
		char *file;

		if (n <= suffix || strcmp(entry->d_name + n - suffix, ".list") != 0)
			continue;
		file = xasprintf("%s/%s", lists, entry->d_name);
		/* the name may be that of a package and an architecture: "libc6:amd64.list" */
		if (lists_path(file, path)) {
			found = xstrndup(entry->d_name, n - suffix);
			found[strcspn(found, ":")] = '\0';
		}
		free(file);
	}
	if (folder)
		closedir(folder);
	return found;
}
