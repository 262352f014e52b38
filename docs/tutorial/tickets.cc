#include <cassert>
#include <thread>

int sold;

void sell() {
	int before = sold;
	sold = before + 1;
}

int main() {
	std::thread first(sell), second(sell);
	first.join();
	second.join();
	assert(sold == 2);
}
