"""Approval flows: a target, who decides, and steps with what is expected of each; as YAML."""
