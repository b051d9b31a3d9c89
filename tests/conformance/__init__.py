"""Signoff under the official conformance suite."""
