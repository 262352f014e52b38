/** Three threads add to a total under a lock, and one atomic counter. */
import java.util.concurrent.atomic.AtomicInteger;

public class Counters {
	private static int total;
	private static final AtomicInteger rounds = new AtomicInteger();

	private static void work() {
		for (int i = 0; i < 20; i++) {
			synchronized (Counters.class) {
				total += i;
			}
			rounds.incrementAndGet();
		}
	}

	public static void main(String[] args) throws InterruptedException {
		Thread[] threads = new Thread[3];
		for (int i = 0; i < threads.length; i++) {
			threads[i] = new Thread(Counters::work);
			threads[i].start();
		}
		for (Thread thread : threads) {
			thread.join();
		}
		System.out.println("total " + total + " rounds " + rounds.get());
	}
}
