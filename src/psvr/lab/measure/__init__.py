"""From the rows of trials, and from traces, to measures."""
