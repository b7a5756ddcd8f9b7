"""What tests of `sim` share."""
