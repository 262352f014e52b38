/* violation.c - compares and frees violations. */
#include "supervisor/record/violation.h"

#include <stdlib.h>

#include "supervisor/symbols/place.h"

bool rfs_violation_is_call(enum rfs_atomicity_pattern pattern, int which)
{
	switch (pattern) {
	case RFS_ORDER_WAIT_SIGNAL:
	case RFS_ORDER_USE_DESTROY:
	case RFS_ORDER_USE_CLOSE:
		return true;
	case RFS_ORDER_CALL_FREE:
		return which == 0;
	case RFS_ORDER_USE_EXIT:
		return which == 1;
	default:
		return false;
	}
}

bool rfs_violation_is_same(const struct rfs_violation *a, const struct rfs_violation *b)
{
	return rfs_atomicity_is_order(a->pattern) == rfs_atomicity_is_order(b->pattern) &&
	       rfs_atomicity_is_double(a->pattern) == rfs_atomicity_is_double(b->pattern) && a->apart == b->apart &&
	       rfs_place_is_same(&a->also.site, &b->also.site) && rfs_place_is_same(&a->first.site, &b->first.site) &&
	       rfs_place_is_same(&a->remote.site, &b->remote.site) &&
	       rfs_place_is_same(&a->second.site, &b->second.site);
}

void rfs_violation_release(struct rfs_violation *violation)
{
	free(violation->first.site.module);
	free(violation->remote.site.module);
	free(violation->second.site.module);
	free(violation->also.site.module);
	rfs_object_release(&violation->beside);
	rfs_object_release(&violation->data);
	rfs_object_release(&violation->lock);
	*violation = (struct rfs_violation){0};
}

void rfs_violations_release(struct rfs_violations *violations)
{
	for (size_t i = 0; i < violations->n; i++)
		rfs_violation_release(&violations->list[i]);
	free(violations->list);
	*violations = (struct rfs_violations){0};
}
