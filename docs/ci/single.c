/* single.c - a test with one thread. */
int main(void)
{
	return 0;
}
