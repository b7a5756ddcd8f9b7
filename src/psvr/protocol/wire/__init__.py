"""Messages as bytes and back, their lengths, and the names of channels."""

from .messages import Malformed, decode, encode_hello, encode_pub, encode_sub

__all__ = ["Malformed", "decode", "encode_hello", "encode_pub", "encode_sub"]
