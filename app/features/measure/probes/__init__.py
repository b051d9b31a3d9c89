"""The probe server, its tools, and what each of them shows."""
