#define FIXED
#include "handler_replaced.cc"
