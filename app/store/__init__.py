"""What Signoff keeps on disk: remembered approvals, definitions seen, the audit log."""
