"""003: friction models and their phenomena."""
