"""What tests of `routing` share."""
