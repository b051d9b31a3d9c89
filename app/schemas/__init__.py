"""JSON Schema: verdicts on values, faults of schemas, samples, formats."""
