/* bad_block.c - frees its stacks. */
#include "supervisor/record/bad_block.h"

#include <stdlib.h>

void rfs_bad_block_release(struct rfs_bad_block *block)
{
	free(block->at[0].module);
	free(block->at[1].module);
	*block = (struct rfs_bad_block){0};
}
