#include "source.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *source_build(const char *source, const char *options)
{
	char folder[] = "/tmp/rfsup-program-XXXXXX", *path = NULL, *command = NULL;
	FILE *compiler;

	cr_assert(mkdtemp(folder) && asprintf(&path, "%s/program", folder) > 0);
	cr_assert(asprintf(&command, "gcc -x c - -o %s %s", path, options) > 0);
	compiler = popen(command, "w");
	cr_assert(compiler && fputs(source, compiler) >= 0);
	cr_assert(pclose(compiler) == 0, "%s", command);
	free(command);
	return path;
}

void source_remove(char *path)
{
	unlink(path);
	*strrchr(path, '/') = '\0';
	rmdir(path);
	free(path);
}

void source_function(FILE *out, const char *name, const char *body)
{
	fprintf(out, "__asm__(\".text\\n.globl %s\\n.hidden %s\\n.type %s,@function\\n%s: %s\\n.size %s,.-%s\\n\");\n",
		name, name, name, name, body, name, name);
}
