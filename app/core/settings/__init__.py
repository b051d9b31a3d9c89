"""What a person wants kept from run to run, apart from trust and approvals: pure values."""
