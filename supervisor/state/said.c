#include "supervisor/state/said.h"

#include <string.h>

#include "policy/policy.h"
#include "supervisor/base/alloc.h"
#include "supervisor/record/run_result.h"
#include "supervisor/state/run_state.h"
#include "supervisor/state/target_memory.h"

/* Enough for the report of a sanitizer: its first lines say what is wrong, so they must not be dropped. */
#define SAID_MAX 16384

void rfs_said_add(struct rfs_run *run, rfs_addr data, uint64_t size)
{
	struct rfs_blob *said = &run->result->said;
	uint64_t skip = size > SAID_MAX ? size - SAID_MAX : 0, drop;

	size -= skip;
	if (!said->data)
		said->data = xmalloc(SAID_MAX);
	drop = said->size + size > SAID_MAX ? said->size + size - SAID_MAX : 0;
	memmove(said->data, (char *)said->data + drop, said->size - drop);
	said->size -= drop;
	if (rfs_peek(run, data + skip, (char *)said->data + said->size, size))
		said->size += size;
}

void rfs_said_copy(const struct rfs_run *from, struct rfs_run *to)
{
	const struct rfs_blob *said = &from->result->said;

	if (!said->size)
		return;
	to->result->said.data = xmalloc(SAID_MAX);
	to->result->said.size = said->size;
	memcpy(to->result->said.data, said->data, said->size);
}
