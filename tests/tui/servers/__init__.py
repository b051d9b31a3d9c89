"""Tests of several servers on one screen."""
