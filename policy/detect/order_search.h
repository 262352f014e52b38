/* order_search.h - finds the order violations of accesses, waits and signals; the head of atomicity.h has the rules. */
#ifndef RFS_ORDER_SEARCH_H
#define RFS_ORDER_SEARCH_H

struct atom_cell;
struct atom_run;

/* Adds the order violations at this granule. */
void rfs_order_search(struct atom_run *run, const struct atom_cell *cell);

#endif
