// Two variables that belong together are always read and written in one section, or are copied to a snapshot.
#include <cstdlib>
#include <mutex>
#include <thread>

class Range
{
	std::mutex lock;
	int low = 0, high = 10;

      public:
	void move(int by)
	{
		std::lock_guard<std::mutex> guard(lock);
		low += by;
		high += by;
	}
	int length()
	{
		std::lock_guard<std::mutex> guard(lock);
		return high - low;
	}
	int get_low()
	{
		std::lock_guard<std::mutex> guard(lock);
		return low;
	}
};

int main()
{
	Range range;
	std::thread mover([&range] {
		range.move(1);
		range.move(2);
	});

	if (range.get_low() < 0)
		std::abort();
	if (range.length() != 10)
		std::abort();
	mover.join();
	return range.get_low() != 3;
}
