// Two writers and two readers share a map under a std::sync::RwLock, and main waits at a Condvar.
use std::collections::HashMap;
use std::sync::{Arc, Condvar, Mutex, RwLock};
use std::thread;

#[cfg(racy)]
static mut HITS: u32 = 0;

fn main() {
    let map = Arc::new(RwLock::new(HashMap::<u32, u32>::new()));
    let done = Arc::new((Mutex::new(0u32), Condvar::new()));
    let mut threads = vec![];
    for i in 0..2 {
        let (map, done) = (map.clone(), done.clone());
        threads.push(thread::spawn(move || {
            for j in 0..4 {
                map.write().unwrap().insert(i * 10 + j, j);
            }
            *done.0.lock().unwrap() += 1;
            done.1.notify_all();
        }));
    }
    for _ in 0..2 {
        let map = map.clone();
        threads.push(thread::spawn(move || {
            for j in 0..4 {
                assert!(*map.read().unwrap().get(&j).unwrap_or(&0) < 100);
                #[cfg(racy)]
                unsafe {
                    HITS = HITS * 2 + 1;
                }
            }
        }));
    }
    let mut n = done.0.lock().unwrap();
    while *n < 2 {
        n = done.1.wait(n).unwrap();
    }
    drop(n);
    assert_eq!(map.read().unwrap().len(), 8);
    for thread in threads {
        thread.join().unwrap();
    }
}
