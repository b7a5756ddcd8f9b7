"""What tests of `protocol` share."""
