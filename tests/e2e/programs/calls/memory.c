/* memory.c - mappings, and files that show memory. */
#include "calls.h"

#include <fcntl.h>
#include <linux/membarrier.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/uio.h>

static sigjmp_buf back;
static volatile sig_atomic_t faults;

static void leave(int signo)
{
	(void)signo;
	faults++;
	siglongjmp(back, 1);
}

static char *pages(size_t n, int flags)
{
	return mmap(NULL, n * 4096, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);
}

static int remap(void)
{
	char *at = pages(2, MAP_PRIVATE), *to;

	memset(at, 'a', 8192);
	to = mremap(at, 8192, 1 << 20, MREMAP_MAYMOVE);
	CHECK(to != MAP_FAILED && to[8191] == 'a' && to[8192] == 0);
	at = pages(256, MAP_PRIVATE);
	CHECK(mremap(to, 4096, 4096, MREMAP_MAYMOVE | MREMAP_FIXED, at) == at && at[0] == 'a');
	CHECK(mremap(at, 4096, 0, 0) == MAP_FAILED && errno == EINVAL);
	return 0;
}

static int advice(void)
{
	char *at = pages(4, MAP_PRIVATE);

	memset(at, 'x', 4 * 4096);
	CHECK(madvise(at, 4096, MADV_DONTNEED) == 0 && at[0] == 0);
	CHECK(madvise(at + 4096, 4096, MADV_WIPEONFORK) == 0);
	CHECK(madvise(at + 8192, 4096, MADV_DONTFORK) == 0);
	CHECK(madvise(at + 12288, 4096, MADV_FREE) == 0);
	CHECK(IN_CHILD(at[4096] != 0) == 0 && at[4096] == 'x');
	CHECK(WTERMSIG(IN_CHILD(at[8192] == 'x')) == SIGSEGV);
	return 0;
}

static int protection(void)
{
	char *at = pages(1, MAP_PRIVATE);

	signal(SIGSEGV, leave);
	CHECK(mprotect(at, 4096, PROT_NONE) == 0);
	if (!sigsetjmp(back, 1))
		*(volatile char *)at = 1;
	CHECK(faults == 1);
	CHECK(mprotect(at, 4096, PROT_READ | PROT_WRITE) == 0);
	*(volatile char *)at = 2;
	CHECK(munmap(at, 4096) == 0);
	if (!sigsetjmp(back, 1))
		*(volatile char *)at = 1;
	CHECK(faults == 2);
	CHECK(mprotect(at, 4096, PROT_READ) == -1 && errno == ENOMEM);
	return 0;
}

static int code(void)
{
	static const unsigned char seven[] = {0xb8, 7, 0, 0, 0, 0xc3}, eight[] = {0xb8, 8, 0, 0, 0, 0xc3};
	unsigned char *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	union {
		void *data;
		int (*call)(void);
	} f = {at};

	memcpy(at, seven, sizeof(seven));
	CHECK(f.call() == 7);
	memcpy(at, eight, sizeof(eight));
	CHECK(f.call() == 8);
	CHECK(mprotect(at, 4096, PROT_READ | PROT_EXEC) == 0 && f.call() == 8);
	return 0;
}

static int shared(void)
{
	volatile char *at = pages(1, MAP_SHARED);

	CHECK(IN_CHILD((at[5] = 'c', 0)) == 0 && at[5] == 'c');
	return 0;
}

static int memory_file(void)
{
	int fd = memfd_create("memory", MFD_ALLOW_SEALING);
	char *at;

	CHECK(fd >= 0 && ftruncate(fd, 4096) == 0);
	at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	strcpy(at, "hello");
	CHECK(msync(at, 4096, MS_SYNC) == 0);
	char text[8] = "";
	CHECK(pread(fd, text, 6, 0) == 6 && strcmp(text, "hello") == 0);
	CHECK(pwrite(fd, "J", 1, 0) == 1 && at[0] == 'J');
	CHECK(munmap(at, 4096) == 0);
	CHECK(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK) == 0);
	CHECK(fcntl(fd, F_GET_SEALS) == (F_SEAL_WRITE | F_SEAL_SHRINK));
	CHECK(pwrite(fd, "K", 1, 0) == -1 && errno == EPERM);
	return 0;
}

static int resident(void)
{
	unsigned char seen[4] = {0};
	char *at = pages(4, MAP_PRIVATE);

	at[0] = at[8192] = 1;
	CHECK(mincore(at, 4 * 4096, seen) == 0 && (seen[0] & 1) && !(seen[1] & 1) && (seen[2] & 1));
	CHECK(mlock(at, 4096) == 0 && munlock(at, 4096) == 0);
	return 0;
}

static int heap_end(void)
{
	char *end = sbrk(0);

	CHECK(sbrk(8192) == end);
	memset(end, 'b', 8192);
	CHECK(sbrk(-8192) == end + 8192 && sbrk(0) == end);
	return 0;
}

static int fixed(void)
{
	char *at = pages(2, MAP_PRIVATE);

	CHECK(mmap(at, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) == MAP_FAILED &&
	      errno == EEXIST);
	CHECK(mmap(at, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == at);
	CHECK(mmap(NULL, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED && errno == EINVAL);
	return 0;
}

static int file_mapping(void)
{
	char name[] = "/tmp/map-XXXXXX";
	int fd = mkstemp(name);
	char *private, *at;

	unlink(name);
	CHECK(ftruncate(fd, 8192) == 0);
	at = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	private = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	at[1] = 's';
	CHECK(private[1] == 's');
	private[1] = 'p';
	CHECK(at[1] == 's');
	signal(SIGBUS, leave);
	CHECK(ftruncate(fd, 4096) == 0);
	if (!sigsetjmp(back, 1))
		*(volatile char *)(at + 4096) = 1;
	CHECK(faults == 1);
	return 0;
}

static int maps(void)
{
	char *at = pages(3, MAP_PRIVATE), line[512];
	FILE *file;
	unsigned long from, to;
	int found = 0, stack = 0;

	mprotect(at, 4096, PROT_NONE);
	file = fopen("/proc/self/maps", "r");
	while (fgets(line, sizeof(line), file)) {
		CHECK(sscanf(line, "%lx-%lx", &from, &to) == 2);
		found |= from == (unsigned long)at;
		stack |= strstr(line, "[stack]") != NULL && from < (unsigned long)line && (unsigned long)line < to;
	}
	fclose(file);
	CHECK(found && stack);
	return 0;
}

static int own_memory(void)
{
	static volatile long word = 5;
	long value = 0;
	int fd = open("/proc/self/mem", O_RDWR);

	CHECK(fd >= 0 && pread(fd, &value, sizeof(value), (off_t)(unsigned long)&word) == sizeof(value) && value == 5);
	value = 6;
	CHECK(pwrite(fd, &value, sizeof(value), (off_t)(unsigned long)&word) == sizeof(value) && word == 6);
	struct iovec local = {&value, 8}, remote = {(void *)&word, 8};
	value = 7;
	CHECK(process_vm_writev(getpid(), &local, 1, &remote, 1, 0) == 8 && word == 7);
	return 0;
}

static int own_code(void)
{
	unsigned char bytes[64];
	int fd = open("/proc/self/mem", O_RDONLY);

	CHECK(pread(fd, bytes, sizeof(bytes), (off_t)(unsigned long)own_code) == sizeof(bytes));
	CHECK(memcmp(bytes, (void *)own_code, sizeof(bytes)) == 0);
	return 0;
}

static void *answers_fault(void *arg)
{
	int fd = *(int *)arg;
	struct uffd_msg message;
	static char page[4096] __attribute__((aligned(4096)));
	struct uffdio_copy copy = {.src = (unsigned long)page, .len = 4096};

	if (read(fd, &message, sizeof(message)) != sizeof(message))
		return NULL;
	page[0] = 'u';
	copy.dst = message.arg.pagefault.address & ~4095ul;
	ioctl(fd, UFFDIO_COPY, &copy);
	return arg;
}

static int user_faults(void)
{
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | 1);
	struct uffdio_api api = {.api = UFFD_API};
	struct uffdio_register area = {.mode = UFFDIO_REGISTER_MODE_MISSING};
	char *at = pages(1, MAP_PRIVATE);
	pthread_t thread;

	if (fd < 0)
		return 0;
	CHECK(ioctl(fd, UFFDIO_API, &api) == 0);
	area.range.start = (unsigned long)at;
	area.range.len = 4096;
	CHECK(ioctl(fd, UFFDIO_REGISTER, &area) == 0);
	pthread_create(&thread, NULL, answers_fault, &fd);
	CHECK(*(volatile char *)at == 'u');
	pthread_join(thread, NULL);
	return 0;
}

static int keys(void)
{
	int key = pkey_alloc(0, 0);
	char *at = pages(1, MAP_PRIVATE);

	if (key < 0)
		return 0;
	CHECK(pkey_mprotect(at, 4096, PROT_READ | PROT_WRITE, key) == 0);
	at[0] = 1;
	signal(SIGSEGV, leave);
	pkey_set(key, PKEY_DISABLE_ACCESS);
	if (!sigsetjmp(back, 1))
		*(volatile char *)at = 1;
	CHECK(faults == 1);
	pkey_set(key, 0);
	CHECK(pkey_free(key) == 0);
	return 0;
}

static int barriers(void)
{
	CHECK(syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0) > 0);
	CHECK(syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0) == 0);
	CHECK(syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0) == 0);
	return 0;
}

static int posix_shared(void)
{
	char name[64];
	int fd;
	char *at;

	snprintf(name, sizeof(name), "/calls-%d-%ld", getpid(), (long)random());
	shm_unlink(name);
	fd = shm_open(name, O_CREAT | O_EXCL | O_RDWR, 0600);
	CHECK(fd >= 0 && shm_unlink(name) == 0 && ftruncate(fd, 4096) == 0);
	at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	CHECK(IN_CHILD((at[0] = 'z', 0)) == 0 && at[0] == 'z');
	return 0;
}

static int system_v(void)
{
	int id = shmget(IPC_PRIVATE, 8192, IPC_CREAT | 0600);
	char *at = shmat(id, NULL, 0);

	CHECK(shmctl(id, IPC_RMID, NULL) == 0 && at != (void *)-1);
	CHECK(IN_CHILD((at[0] = 'v', 0)) == 0 && at[0] == 'v');
	CHECK(shmdt(at) == 0);
	return 0;
}

static int bad_pointers(void)
{
	int ends[2];

	CHECK(pipe(ends) == 0);
	CHECK(write(ends[1], (void *)8, 4) == -1 && errno == EFAULT);
	CHECK(write(ends[1], "abcd", 4) == 4);
	CHECK(read(ends[0], (void *)8, 4) == -1 && errno == EFAULT);
	CHECK(syscall(SYS_clock_gettime, 0, (void *)8) == -1 && errno == EFAULT);
	CHECK(syscall(SYS_poll, (void *)8, 1, 0) == -1 && errno == EFAULT);
	CHECK(syscall(SYS_futex, (void *)8, 0, 0, NULL) == -1 && errno == EFAULT);
	CHECK(syscall(999) == -1 && errno == ENOSYS);
	CHECK(syscall(SYS_nanosleep, (void *)8, NULL) == -1 && errno == EFAULT);
	CHECK(syscall(SYS_getrandom, (void *)8, 4, 0) == -1 && errno == EFAULT);
	return 0;
}

static int grows(void)
{
	volatile char *deep = __builtin_alloca(4 << 20);

	deep[0] = 1;
	deep[2 << 20] = 2;
	CHECK(deep[0] == 1);
	return 0;
}

CALLS_MAIN(CASE(remap), CASE(advice), CASE(protection), CASE(code), CASE(shared), CASE(memory_file), CASE(resident),
	   CASE(heap_end), CASE(fixed), CASE(file_mapping), CASE(maps), CASE(own_memory), CASE(own_code),
	   CASE(user_faults), CASE(keys), CASE(barriers), CASE(posix_shared), CASE(system_v), CASE(bad_pointers),
	   CASE(grows))
