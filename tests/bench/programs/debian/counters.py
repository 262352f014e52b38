"""Three threads add to a total under a lock and put their sums into a queue."""
import queue
import threading

lock = threading.Lock()
sums = queue.Queue()
total = 0


def work():
    global total
    for i in range(20):
        with lock:
            total += i
    sums.put(sum(range(20)))


threads = [threading.Thread(target=work) for _ in range(3)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print("total", total, "sent", sum(sums.get() for _ in threads))
