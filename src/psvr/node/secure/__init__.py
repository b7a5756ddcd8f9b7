"""Keys, identities, sealed datagrams, and which of these are new."""
