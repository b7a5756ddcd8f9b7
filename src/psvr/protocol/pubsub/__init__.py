"""Publish/subscribe beyond PSVR itself: what all systems share, those it is compared with, and those of users."""
