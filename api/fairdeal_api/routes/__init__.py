"""The service's routes, one file for each group of calls."""
