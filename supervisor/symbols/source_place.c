#include "supervisor/symbols/source_place.h"

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
