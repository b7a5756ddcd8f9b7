"""Traces as a source of Spark, at rest and as a stream, and their ingestion into Parquet while they are written."""
