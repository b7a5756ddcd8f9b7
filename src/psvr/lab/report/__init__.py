"""From measures to claims, figures and the page of the report."""
