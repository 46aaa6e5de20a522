"""Tiles, wall, hands and dice drawn in characters."""
