#define FIXED
#include "double_accounts.c"
