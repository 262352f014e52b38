#define FIXED
#include "sync_tree.c"
