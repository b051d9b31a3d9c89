"""`signoff through`: a server compared with itself behind a gateway."""
