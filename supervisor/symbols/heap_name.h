/* heap_name.h - names blocks of the heap by their types, or by the containers that allocated them. */
#ifndef RFS_HEAP_NAME_H
#define RFS_HEAP_NAME_H

struct rfs_symbols;
struct rfs_object;

/* What is to be named: the member at the object's offset, or the block, because all of it is meant (it is freed). */
enum rfs_block_part { RFS_BLOCK_MEMBER, RFS_BLOCK_WHOLE };

/*
 * The name of an object in the heap: "table of Registry, allocated by thread 0 at main.cc:14", "Registry, allocated
 * ..." for the whole block, "memory of std::map, allocated ...". If neither is known: "heap block of 64 bytes + 8,
 * allocated ...". Caller frees.
 */
char *rfs_symbols_block(struct rfs_symbols *symbols, const struct rfs_object *object, enum rfs_block_part part);

/*
 * Cuts off the members that are internal to a library: those of a pthread_mutex_t (".__data.__lock"), or of a class of
 * C++'s library ("._M_t._M_impl").
 */
void rfs_cut_library_members(char *name);

#endif
