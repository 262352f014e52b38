/* access_release.c - what the room access keeps of a run: hooks, stubs, stores that are delayed, and what it has
 * learnt. */
#include "supervisor/access/access_release.h"

#include "supervisor/access/calls/hooks.h"
#include "supervisor/access/calls/recorded_calls.h"
#include "supervisor/access/generated_code.h"
#include "supervisor/access/hot_statements.h"
#include "supervisor/access/quarantine.h"
#include "supervisor/access/store_buffers.h"
#include "supervisor/access/stubs.h"
#include "supervisor/access/word_locks.h"
#include "supervisor/base/address_set.h"
#include "supervisor/state/core/run_state.h"

void rfs_access_release(struct rfs_run *run)
{
	rfs_hooks_release(run);
	rfs_address_set_release(&run->left_out);
	rfs_address_set_release(&run->atomics);
	rfs_address_set_release(&run->code_pages);
	rfs_generated_release(run);
	rfs_stubs_release(run);
	rfs_hot_release(run);
	rfs_stores_release(run);
	rfs_word_locks_close(run);
	rfs_quarantine_release(run);
	rfs_recorded_calls_release(run);
}
