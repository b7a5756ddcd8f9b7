"""The wireless channel against an independent one, ns-3's lr-wpan: error ratio, contention, speed."""
