/* Two threads change one account under different locks. Fixed: under the same one. */
#include <omp.h>
#include <stdio.h>

#define N 10
#ifdef FIXED
#define OTHER &first
#else
#define OTHER &second
#endif

static omp_lock_t first, second;
static int account;

int main(void)
{
	omp_init_lock(&first);
	omp_init_lock(&second);
#pragma omp parallel num_threads(2)
	{
		omp_lock_t *lock = omp_get_thread_num() ? OTHER : &first;

		for (int i = 0; i < N; i++) {
			omp_set_lock(lock);
			account += i;
			omp_unset_lock(lock);
		}
	}
	printf("%d\n", account);
	return 0;
}
