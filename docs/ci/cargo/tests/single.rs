//! A test that always passes.

#[test]
fn starts_at_zero() {
    assert_eq!(example::Counter::new().get(), 0);
}
