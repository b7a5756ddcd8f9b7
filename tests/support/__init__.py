"""What tests share, and benchmarks with them: networks of plain nodes, processes, samples, fuzz targets."""
