"""The scripted model that hosts are measured with, and its dialects."""
