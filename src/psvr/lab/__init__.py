"""The lab: studies run as a data pipeline on Spark, from the grid of parameters to the report."""
