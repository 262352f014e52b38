// Destructors store the same vptr again while another thread only uses its own part; the last owner deletes.
#include <memory>
#include <mutex>
#include <thread>

struct Base {
	std::mutex lock;
	int uses = 0;
	virtual ~Base() = default;
	virtual void use()
	{
		std::lock_guard<std::mutex> guard(lock);
		uses++;
	}
};

struct Derived : Base {
	~Derived() override
	{
		uses = -1;
	}
	void use() override
	{
		Base::use();
	}
};

int main()
{
	for (int i = 0; i < 2; i++) {
		std::shared_ptr<Base> object = std::make_shared<Derived>();
		std::thread first([copy = object] { copy->use(); });
		std::thread second([copy = object] { copy->use(); });

		object.reset();
		first.join();
		second.join();
	}
}
