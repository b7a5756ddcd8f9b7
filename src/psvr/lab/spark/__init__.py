"""Spark sessions: settings, masters, the Java process, and the package sent to other machines."""
