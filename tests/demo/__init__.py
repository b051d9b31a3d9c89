"""The bundled server, run as a process and spoken to over its pipes."""
