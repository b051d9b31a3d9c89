"""Lists that paint only the rows in sight, for any number of rows."""
