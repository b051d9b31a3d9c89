"""Findings: values, codes with severities, and the sections of the specification."""
