"""Resources, prompts, tasks and roots: commands and screens."""
