"""What a server's messages have to be by the specification, whatever Signoff makes of them."""
