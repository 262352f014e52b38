#define FIXED
#include "order_account.cc"
