"""Files and database: grants, definitions, audit log, settings, the state folder."""
