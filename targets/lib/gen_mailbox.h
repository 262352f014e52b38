/* gen_mailbox.h - messages, and a descriptor that can be polled. All functions may be called from any thread. */
#ifndef GEN_MAILBOX_H
#define GEN_MAILBOX_H

struct gen_mailbox;

/* NULL: no descriptor is free. */
struct gen_mailbox *gen_mailbox_new(void);
void gen_mailbox_free(struct gen_mailbox *box);

void gen_mailbox_put(struct gen_mailbox *box, unsigned char message);
/* The oldest message; -1: there is none. */
int gen_mailbox_take(struct gen_mailbox *box);

#endif
