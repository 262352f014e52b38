#include "supervisor/symbols/source_place.h"

#include <stdlib.h>

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
}

void rfs_source_stack_release(struct rfs_source_stack *stack)
{
	for (size_t i = 0; i < stack->n_frames; i++)
		rfs_source_place_release(&stack->frames[i]);
	free(stack->frames);
}
