/* atomicity_search.h - finds the atomicity violations on one variable; the head of atomicity.h has the rules. */
#ifndef RFS_ATOMICITY_SEARCH_H
#define RFS_ATOMICITY_SEARCH_H

struct atom_cell;
struct atom_run;

/* Adds the violations at this granule. */
void rfs_atomicity_search(struct atom_run *run, const struct atom_cell *cell);

#endif
