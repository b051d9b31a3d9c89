"""The bundled server: small, harmless tools from which annotations can be learned."""
