"""Sign-in of servers over HTTP: its metadata found, fetched under a guard, and checked."""
