"""The screens about approval: policies, the matrix, grants, the audit log, archetypes."""
