"""The fairdeal command line."""
