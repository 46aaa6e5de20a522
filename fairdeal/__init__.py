"""The Fairdeal protocol: bytes in, values out."""
