"""The fairdeal command line: one command a file, results on stdout, talk on stderr."""
