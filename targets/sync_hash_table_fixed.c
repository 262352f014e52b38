#define FIXED
#include "sync_hash_table.c"
