// named.rs - one defect for each argument, in Rust. names_test.c says which names and lines a report must have.
use std::cell::UnsafeCell;
use std::sync::{Arc, Mutex};
use std::thread;

// a method of a struct that says it may be shared
struct Hits {
    count: UnsafeCell<u64>,
}
unsafe impl Sync for Hits {}

impl Hits {
    fn bump(&self) {
        unsafe { *self.count.get() += 1 } // hits
    }
}
static HITS: Hits = Hits { count: UnsafeCell::new(0) };

fn method() {
    let t: Vec<_> = (0..2).map(|_| thread::spawn(|| HITS.bump())).collect();
    for one in t {
        one.join().unwrap();
    }
    assert_eq!(unsafe { *HITS.count.get() }, 2);
}

// a function for all types
static mut LARGEST: i64 = 0;

fn note<T: Into<i64>>(value: T) {
    let value = value.into();
    unsafe {
        if value > LARGEST { // compare
            LARGEST = value; // largest
        }
    }
}

fn generic() {
    let (a, b) = (thread::spawn(|| note(3i32)), thread::spawn(|| note(7i64)));
    a.join().unwrap();
    b.join().unwrap();
    assert_eq!(unsafe { LARGEST }, 7);
}

// a static that is changed without a lock
static mut TOTAL: u64 = 0;

fn add(n: u64) {
    unsafe {
        TOTAL = TOTAL + n; // total
    }
}

fn global() {
    let t: Vec<_> = (1..3).map(|n| thread::spawn(move || add(n))).collect();
    for one in t {
        one.join().unwrap();
    }
    assert_eq!(unsafe { TOTAL }, 3);
}

// two locks in two orders
struct Account {
    money: Mutex<i64>,
}

fn transfer(from: &Account, to: &Account) {
    let mut a = from.money.lock().unwrap();
    let mut b = to.money.lock().unwrap(); // second
    *a -= 1;
    *b += 1;
}

fn deadlock() {
    let one = Arc::new(Account { money: Mutex::new(1) });
    let two = Arc::new(Account { money: Mutex::new(2) });
    let (a, b) = (one.clone(), two.clone());
    let t = thread::spawn(move || transfer(&a, &b));
    transfer(&two, &one);
    t.join().unwrap();
}

// a pointer that two threads share
struct Shared(*mut u32);
unsafe impl Send for Shared {}

fn pointer() {
    let mut value = 0u32;
    let p = &mut value as *mut u32 as usize;
    let bump = move || {
        let q = Shared(p as *mut u32);
        unsafe { *q.0 = *q.0 + 1 } // bump
    };
    let t = thread::spawn(bump);
    bump();
    t.join().unwrap();
    assert_eq!(value, 2);
}

fn main() {
    match std::env::args().nth(1).as_deref() {
        Some("method") => method(),
        Some("generic") => generic(),
        Some("global") => global(),
        Some("deadlock") => deadlock(),
        Some("pointer") => pointer(),
        _ => (),
    }
}
