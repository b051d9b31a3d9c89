"""Resources, resource templates, prompts, completion, icons."""
