/*
 * order_session: a reader keeps a plain pointer to a session that the owner deletes, each under the mutex.
 *
 * Answer: failure, no race, no atomicity violation: the session is used after it was deleted.
 * Plain and random runs: never fail, because the reader is done long before the session ends.
 * Twin: the reader shares the session with its owner.
 */
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "late.h"

namespace
{
struct session {
	std::string user{"somebody with a name that needs a block of its own"};
	long reads = 0;
};

std::mutex lock;
std::shared_ptr<session> current;

#ifdef FIXED
void read_session(std::shared_ptr<session> mine)
#else
void read_session(session *mine)
#endif
{
	std::lock_guard<std::mutex> guard(lock);

	mine->reads += static_cast<long>(mine->user.size());
}

void end()
{
	come_late();
	std::lock_guard<std::mutex> guard(lock);

	current.reset();
}
}

int main()
{
	current = std::make_shared<session>();
#ifdef FIXED
	std::thread reader(read_session, current), owner(end);
#else
	std::thread reader(read_session, current.get()), owner(end);
#endif

	reader.join();
	owner.join();
	return 0;
}
