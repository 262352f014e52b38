#define FIXED
#include "order_capture.cc"
