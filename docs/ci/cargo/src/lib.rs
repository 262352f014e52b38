//! A counter that is read and written in two critical sections, so an increment can be lost.
use std::sync::Mutex;

pub struct Counter {
    value: Mutex<u32>,
}

impl Counter {
    pub const fn new() -> Self {
        Counter { value: Mutex::new(0) }
    }

    pub fn get(&self) -> u32 {
        *self.value.lock().unwrap()
    }

    pub fn increment(&self) {
        let value = self.get();
        *self.value.lock().unwrap() = value + 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn two_increments() {
        let counter = Counter::new();
        thread::scope(|scope| {
            scope.spawn(|| counter.increment());
            scope.spawn(|| counter.increment());
        });
        assert_eq!(counter.get(), 2);
    }
}
