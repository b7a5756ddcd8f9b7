"""What goes wrong in a simulation: crashes, cuts, noise and corrupted memory."""
