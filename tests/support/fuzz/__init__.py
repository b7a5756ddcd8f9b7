"""Everything that reads datagrams, as functions that take any bytes, and the bytes to give them."""
