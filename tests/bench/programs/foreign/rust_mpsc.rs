// Three threads send boxes through a std::sync::mpsc channel. An atomic flag starts them; an atomic counter counts.
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{mpsc, Arc};
use std::thread;

#[cfg(racy)]
static mut LAST: u32 = 0;

fn main() {
    let (sender, receiver) = mpsc::channel::<Box<Vec<u32>>>();
    let count = Arc::new(AtomicUsize::new(0));
    let ready = Arc::new(AtomicBool::new(false));
    let mut threads = vec![];
    for i in 0..3 {
        let (sender, count, ready) = (sender.clone(), count.clone(), ready.clone());
        threads.push(thread::spawn(move || {
            while !ready.load(Ordering::Acquire) {
                thread::yield_now();
            }
            for j in 0..4 {
                sender.send(Box::new(vec![i, j])).unwrap();
                count.fetch_add(1, Ordering::Relaxed);
                #[cfg(racy)]
                unsafe {
                    LAST = LAST * 2 + i;
                }
            }
        }));
    }
    drop(sender);
    ready.store(true, Ordering::Release);
    let mut sum = 0;
    for mut item in receiver {
        item.push(1);
        sum += item.len();
    }
    for thread in threads {
        thread.join().unwrap();
    }
    assert_eq!(sum, 36);
    assert_eq!(count.load(Ordering::SeqCst), 12);
}
