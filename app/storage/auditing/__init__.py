"""Records of the audit log: their events, fields, chain and proof. Pure."""
