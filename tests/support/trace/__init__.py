"""What tests of `trace` share."""
