#define FIXED
#include "atomicity_upgrade.c"
