"""The Fairdeal service: a thin HTTP shell around the protocol and its log."""
