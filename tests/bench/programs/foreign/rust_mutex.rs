// Threads add to a sum and a vector under a std::sync::Mutex. With cfg(racy), they also change a static without it.
use std::sync::{Arc, Mutex};
use std::thread;

#[cfg(racy)]
static mut EXTRA: u64 = 0;

fn main() {
    let shared = Arc::new(Mutex::new((0u64, Vec::<u64>::new())));
    let threads: Vec<_> = (0..4)
        .map(|i| {
            let shared = shared.clone();
            thread::spawn(move || {
                for j in 0..5 {
                    {
                        let mut both = shared.lock().unwrap();
                        both.0 += 1;
                        both.1.push(i * 10 + j);
                    }
                    #[cfg(racy)]
                    unsafe {
                        EXTRA = EXTRA * 3 + 1;
                    }
                }
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    assert_eq!(shared.lock().unwrap().1.len(), 20);
}
