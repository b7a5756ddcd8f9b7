"""Exact routing in a settled network: what every publication costs once tree, ring and leases have come to rest.

`tree` makes spanning trees of the networks of `psvr.graphs`, `settled` puts them on the ring, `systems` routes one
publication under PSVR or one of the systems it is compared with, and `batch` counts messages of very many.
"""
