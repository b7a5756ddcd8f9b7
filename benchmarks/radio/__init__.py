"""The wireless channel beside an independent one, ns-3's lr-wpan: error ratio, contention, speed."""
