"""The tests, and what supports them (`tests.support`)."""
