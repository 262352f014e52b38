/*
 * cxx_thread: two std::threads deposit into one account.
 *
 * Answer: the pair of the marked statement with itself is real and harmful: if one deposit is lost, main aborts.
 * Plain runs: almost never fail, because the first thread has ended before the second begins.
 * Twin: a std::lock_guard protects the statement.
 */
#include "target.h"
#include <iostream>
#include <mutex>
#include <thread>

class Account
{
      public:
	void deposit(long amount);
	long balance() const
	{
		return total;
	}

      private:
	long total = 0;
	std::mutex lock;
};

__attribute__((noinline)) void Account::deposit(long amount)
{
#ifdef FIXED
	std::lock_guard<std::mutex> guard(lock);
#endif
	total += amount; /* RACE: deposit */
}

int main()
{
	Account account;
	std::thread first([&] { account.deposit(10); });
	std::thread second([&] {
		apart(2);
		account.deposit(20);
	});

	first.join();
	second.join();
	if (account.balance() != 30)
		fail("lost deposit");
	std::cout << account.balance() << '\n';
	return 0;
}
