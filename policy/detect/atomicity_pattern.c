/* atomicity_pattern.c - the patterns of atomicity and order violations. */
#include "policy/detect/atomicity.h"

const char *rfs_atomicity_pattern_name(enum rfs_atomicity_pattern pattern)
{
	switch (pattern) {
	case RFS_ATOMICITY_RWW:
		return "R-w-W";
	case RFS_ATOMICITY_RWR:
		return "R-w-R";
	case RFS_ATOMICITY_WWR:
		return "W-w-R";
	case RFS_ATOMICITY_WRW:
		return "W-r-W";
	case RFS_ORDER_USE_FREE:
		return "use after free";
	case RFS_ORDER_WAIT_SIGNAL:
		return "signal before wait";
	case RFS_ORDER_INIT_USE:
		return "use before initialisation";
	case RFS_ORDER_USE_DESTROY:
		return "use after destroy";
	case RFS_ORDER_CALL_FREE:
		return "use after free";
	case RFS_ORDER_USE_CLOSE:
		return "use after close";
	case RFS_ORDER_USE_EXIT:
		return "use after thread exit";
	case RFS_ATOMICITY_PATTERNS:
		break;
	}
	return "?";
}

bool rfs_atomicity_is_order(enum rfs_atomicity_pattern pattern)
{
	return pattern > RFS_ATOMICITY_WRW;
}
