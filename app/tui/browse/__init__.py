"""Screens over the main screen that list and explain: policy, matrix, grants, log, tasks."""
