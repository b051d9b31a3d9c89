"""`signoff evidence`: calls tools in a scratch folder and compares deeds with hints."""
