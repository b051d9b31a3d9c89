"""Who decides on a call, by which rule: policies, models of hosts, verdicts, the matrix."""
