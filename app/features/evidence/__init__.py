"""`signoff evidence`: calls tools in a scratch folder; effects are in `calls/effects`."""
