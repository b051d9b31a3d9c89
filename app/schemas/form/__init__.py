"""The form for a schema: fields, drafts, edits."""
