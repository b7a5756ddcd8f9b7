"""Networks as arrays: what is linked to what, where nodes stand, and the random and regular ones that are studied.

`graph` has the type, and networks that are given; `drawn` those that a seed decides.
"""
