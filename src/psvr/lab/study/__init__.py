"""Studies: their grids of parameters, and the trials that follow from them."""

from .study import BUILT_IN, SCALES, Grid, Study, available, load

__all__ = ["BUILT_IN", "SCALES", "Grid", "Study", "available", "load"]
