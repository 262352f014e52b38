/* What libunwind has learnt of a space's code, which holds as long as the modules stay the same. */
#include "tracer/unwind_cache-priv.h"

#include <libunwind.h>
#include <stdlib.h>

#include "tracer/space-priv.h"

void rfs_unwind_share(const struct rfs_space *from, struct rfs_space *to)
{
	to->unwind = from->unwind;
	if (to->unwind)
		to->unwind->references++;
}

void rfs_unwind_release(struct rfs_space *space)
{
	struct rfs_unwind *unwind = space->unwind;

	space->unwind = NULL;
	if (!unwind || --unwind->references)
		return;
	unw_destroy_addr_space(unwind->space);
	free(unwind);
}
