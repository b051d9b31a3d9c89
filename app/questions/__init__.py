"""Questions to a person: their values and their lines, for dialog and terminal alike."""
