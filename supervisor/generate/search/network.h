/* network.h - a network that only the tests of a session have. */
#ifndef RFS_GENERATE_NETWORK_H
#define RFS_GENERATE_NETWORK_H

#include <stdbool.h>

/*
 * From now on, this process and its children have a network of their own, with nothing but the loopback interface.
 * False: the machine does not allow that, and nothing has changed. The process must have one thread.
 */
bool rfs_private_network(void);

#endif
