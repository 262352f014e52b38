#define FIXED
#include "order_session.cc"
