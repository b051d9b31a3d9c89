"""The tasks that a server keeps."""
