"""Output of commands: lines, JSON, JUnit and pages."""
