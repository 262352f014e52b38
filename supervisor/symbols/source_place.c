/* source_place.c - owns the strings of places and stacks. symbolize.c fills them. */
#include "supervisor/symbols/source_place.h"

#include <stdlib.h>
#include <string.h>

#include "supervisor/base/alloc.h"

struct rfs_source_place *rfs_source_stack_add(struct rfs_source_stack *stack)
{
	struct rfs_source_place *frame;

	stack->frames = xreallocarray(stack->frames, stack->n_frames + 1, sizeof(*stack->frames));
	frame = &stack->frames[stack->n_frames++];
	*frame = (struct rfs_source_place){0};
	return frame;
}

void rfs_source_place_release(struct rfs_source_place *place)
{
	free(place->module);
	free(place->file);
	free(place->function);
	free(place->near);
}

void rfs_source_stack_release(struct rfs_source_stack *stack)
{
	for (size_t i = 0; i < stack->n_frames; i++)
		rfs_source_place_release(&stack->frames[i]);
	free(stack->frames);
}

/* Whether the path begins with one of the words of a list that ends with NULL. */
static bool source_place_begins(const char *path, const char *const *list)
{
	for (; *list; list++)
		if (strncmp(path, *list, strlen(*list)) == 0)
			return true;
	return false;
}

bool rfs_source_place_is_foreign(const struct rfs_source_place *place)
{
	/* the last row has the folders of glibc and gcc, whose debug information has relative or build paths */
	static const char *const files[] = {"/usr/",	"/rustc/",  "/opt/rh/",	 "/build/glibc", "/build/gcc",
					    "./nptl/",	"./csu/",   "./stdlib/", "./sysdeps/",	 "../sysdeps/",
					    "./io/",	"./posix/", "./string/", "./malloc/",	 "./signal/",
					    "./libio/", NULL};
	static const char *const modules[] = {"/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/", "[", NULL};

	/* a library of the system is foreign even if its debug information is installed */
	if (!place->module || (place->function && strcmp(place->function, "_start") == 0) ||
	    source_place_begins(place->module, modules))
		return true;
	if (!place->file)
		return false;
	return source_place_begins(place->file, files) || strstr(place->file, "/include/c++/") ||
	       strstr(place->file, "/.cargo/registry/") || strstr(place->file, "/library/std/src/") ||
	       strstr(place->file, "/library/core/src/");
}

size_t rfs_source_stack_first_own(const struct rfs_source_stack *stack)
{
	for (size_t i = 0; i < stack->n_frames; i++)
		if (!rfs_source_place_is_foreign(&stack->frames[i]))
			return i;
	return 0;
}
