"""Pictures that stay small: shapes of very many points become pixels, and coordinates get no needless digits."""

import re

import numpy as np
from matplotlib.artist import Artist
from matplotlib.collections import Collection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

MANY = 2000  # points of a shape
PATH = re.compile(rb'(?<= d=")[^"]*(?=")')
LONG = re.compile(rb"-?\d+\.\d{3,}")


def with_pixels(figure: Figure) -> Figure:
    """Let shapes of very many points be drawn as pixels within an SVG file."""
    for artist in figure.findobj(lambda one: points(one) > MANY):
        artist.set_rasterized(True)
    return figure


def points(artist: Artist) -> int:
    """Return how many points a line, or a set of marks or areas, is drawn from."""
    if isinstance(artist, Line2D):
        return int(np.size(artist.get_path().vertices)) // 2
    if isinstance(artist, Collection):
        sizes = [np.size(artist.get_offsets()), sum(np.size(path.vertices) for path in artist.get_paths())]
        return int(max(sizes)) // 2
    return 0


def rounded(svg: bytes) -> bytes:
    """Return an SVG file with the coordinates of its paths rounded to hundredths of a point."""
    return PATH.sub(lambda path: LONG.sub(lambda n: b"%.2f" % float(n[0]), path[0]), svg)
