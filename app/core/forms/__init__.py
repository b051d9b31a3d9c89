"""What a tool can be called with: fields from an input schema, and drafts of arguments."""
