//! A test that fails in every run.

#[test]
fn always_fails() {
    assert_eq!(example::Counter::new().get(), 1);
}
