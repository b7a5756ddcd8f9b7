"""The simulator: whole networks on one machine, every node running the rules of `psvr.protocol`, compiled."""
