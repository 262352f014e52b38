#define FIXED
#include "exchange_publish.c"
