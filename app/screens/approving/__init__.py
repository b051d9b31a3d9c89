"""The dialogs that ask before something is done, and what they say."""
