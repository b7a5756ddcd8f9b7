"""Systems of the paper's related work, one file each, written as the custom systems of users are.

They are loaded when they are first named (`psvr.protocol.systems.RELATED`), and import nothing but the protocol and
exact routing.  `docs/related-work.md` says what was taken from the literature, and what was left open or done
differently.
"""
