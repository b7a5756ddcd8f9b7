"""What tests of `swarm` share."""
