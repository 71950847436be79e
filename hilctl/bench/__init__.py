"""Benchmarks: each against what a C program, or the usual library, does in the same time."""
