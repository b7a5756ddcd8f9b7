"""`psvr node`: the process, with its control socket, log and trace."""
