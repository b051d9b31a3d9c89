"""Commands and screens of policies and remembered approvals; rules are in `approval`."""
