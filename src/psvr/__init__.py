"""Publish/subscribe for networks without infrastructure, after Siegemund and Turau's PSVR."""

__version__ = "0.1.0"
