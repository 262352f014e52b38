/* atomicity_pattern.c - the patterns of atomicity and order violations. */
#include "policy/detect/atomicity_pattern.h"

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
	case RFS_ATOMICITY_R_WW_R:
		return "R-ww-R";
	case RFS_ATOMICITY_R_WR_W:
		return "R-wr-W";
	case RFS_ATOMICITY_R_WW_W:
		return "R-ww-W";
	case RFS_ATOMICITY_W_RW_R:
		return "W-rw-R";
	case RFS_ATOMICITY_W_WW_R:
		return "W-ww-R";
	case RFS_ATOMICITY_W_RR_W:
		return "W-rr-W";
	case RFS_ATOMICITY_W_RW_W:
		return "W-rw-W";
	case RFS_ATOMICITY_W_WR_W:
		return "W-wr-W";
	case RFS_ATOMICITY_W_WW_W:
		return "W-ww-W";
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

bool rfs_atomicity_is_double(enum rfs_atomicity_pattern pattern)
{
	return pattern > RFS_ATOMICITY_WRW && !rfs_atomicity_is_order(pattern);
}

bool rfs_atomicity_is_order(enum rfs_atomicity_pattern pattern)
{
	return pattern > RFS_ATOMICITY_W_WW_W;
}
