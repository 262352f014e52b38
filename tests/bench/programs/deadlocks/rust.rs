// Two accounts, each in a std::sync::Mutex, and transfers in both directions. The second transfer usually begins when
// the first one has ended. With --cfg fixed, the account with the lower number is locked first.
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

struct Account {
    number: u32,
    balance: Mutex<i64>,
}

fn transfer(from: &Account, to: &Account, amount: i64) {
    if cfg!(fixed) && to.number < from.number {
        let mut target = to.balance.lock().unwrap();
        let mut source = from.balance.lock().unwrap();
        *source -= amount;
        *target += amount;
        return;
    }
    let mut source = from.balance.lock().unwrap();
    let mut target = to.balance.lock().unwrap();
    *source -= amount;
    *target += amount;
}

fn main() {
    let accounts: Arc<Vec<Account>> = Arc::new(
        (0..8).map(|number| Account { number, balance: Mutex::new(100) }).collect(),
    );
    let first = Arc::clone(&accounts);
    let second = Arc::clone(&accounts);
    let one = thread::spawn(move || {
        transfer(&first[2], &first[5], 10);
        transfer(&first[0], &first[1], 1);
    });
    let other = thread::spawn(move || {
        thread::sleep(Duration::from_millis(1));
        transfer(&second[6], &second[7], 1);
        transfer(&second[5], &second[2], 20);
    });
    one.join().unwrap();
    other.join().unwrap();
    let sum: i64 = accounts.iter().map(|account| *account.balance.lock().unwrap()).sum();
    println!("{}", sum);
}
