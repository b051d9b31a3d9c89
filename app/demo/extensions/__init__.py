"""What the bundled server has of drafts of extensions, for clients that declare them."""
