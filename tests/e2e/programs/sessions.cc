/* sessions.cc - each call takes the lock, but between two calls another thread may act: the check of any() is over. */
#include <mutex>
#include <thread>
#include <vector>

struct Sessions {
	std::mutex lock;
	std::vector<int> open;

	void add(int number)
	{
		std::lock_guard<std::mutex> guard(lock);
		open.push_back(number);
	}
	bool any()
	{
		std::lock_guard<std::mutex> guard(lock);
		return !open.empty();
	}
	int newest()
	{
		std::lock_guard<std::mutex> guard(lock);
		return open.at(open.size() - 1);
	}
	void close_all()
	{
		std::lock_guard<std::mutex> guard(lock);
		open.clear();
	}
};

int main()
{
	Sessions sessions;
	int number = 7;

	sessions.add(number);
	std::thread closer([&] { sessions.close_all(); });
	std::thread reader([&] {
		if (sessions.any())
			number = sessions.newest();
	});
	closer.join();
	reader.join();
	return number != 7;
}
