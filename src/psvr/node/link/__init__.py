"""Links to neighbours: UDP, by multicast or to known peers, and an ether on this machine."""
