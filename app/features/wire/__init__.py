"""The wire: its screen, its commands and the replay; messages are in `protocol/wire`."""
