/* gtest_fails.cc - GoogleTest tests with threads that fail in every run, and one that passes. */
#include <cstdlib>
#include <gtest/gtest.h>
#include <thread>

static void start_a_thread()
{
	std::thread([] {}).join();
}

TEST(Always, Fails)
{
	start_a_thread();
	EXPECT_EQ(1, 2);
}

TEST(Always, Throws)
{
	start_a_thread();
	throw 1;
}

#ifdef ABORTS
TEST(Always, Aborts)
{
	start_a_thread();
	abort();
}
#endif

TEST(Always, Passes)
{
	start_a_thread();
}
