"""What tests of `node` share."""
