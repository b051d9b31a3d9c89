"""What a call was seen to do, and what that says of its tool's hints."""
