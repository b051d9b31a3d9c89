"""What a server offers beside its tools: resources, templates of their URIs, and prompts."""
