// Three threads share a map under a mutex and a number under a readers-writer lock, and send their sums to main.
use std::collections::HashMap;
use std::sync::{mpsc, Arc, Mutex, RwLock};
use std::thread;

fn main() {
    let counts = Arc::new(Mutex::new(HashMap::new()));
    let factor = Arc::new(RwLock::new(1u64));
    let (sender, receiver) = mpsc::channel();
    let threads: Vec<_> = (0..3u64)
        .map(|number| {
            let (counts, factor, sender) = (counts.clone(), factor.clone(), sender.clone());
            thread::spawn(move || {
                let mut sum = 0;
                for i in 0..20u64 {
                    *counts.lock().unwrap().entry(i % 5).or_insert(0u64) += i;
                    sum += i + 0 * *factor.read().unwrap();
                    if i == 10 {
                        *factor.write().unwrap() += number;
                    }
                }
                sender.send(sum).unwrap();
            })
        })
        .collect();
    drop(sender);
    for thread in threads {
        thread.join().unwrap();
    }
    let total: u64 = counts.lock().unwrap().values().sum();
    println!("total {} sent {} factor {}", total, receiver.iter().sum::<u64>(), factor.read().unwrap());
}
