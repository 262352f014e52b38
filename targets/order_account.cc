/*
 * order_account: a thread still locks the mutex of an account when another thread deletes the account.
 *
 * Answer: failure, no race, no atomicity violation: the mutex is used after it was freed with its account.
 * Plain and random runs: never fail, because the first thread is done long before. Even if it is not, the freed block
 * still looks like an account.
 * Twin: both threads own the account.
 */
#include <memory>
#include <mutex>
#include <thread>

#include "late.h"

namespace
{
struct account {
	long history[8] = {};
	std::mutex lock;
	long balance = 0;
};

#ifdef FIXED
using handle = std::shared_ptr<account>;
#else
using handle = account *;
#endif

void look(handle mine)
{
	std::lock_guard<std::mutex> guard(mine->lock);
}

void close_account(handle &&mine)
{
	come_late();
#ifdef FIXED
	mine.reset();
#else
	delete mine;
#endif
}
} // namespace

int main()
{
	handle mine(new account);
	std::thread one(look, mine), two(close_account, mine);

	one.join();
	two.join();
	return 0;
}
