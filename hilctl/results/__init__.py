"""What was measured, as typed values that a report, a panel and a client may import: a leaf."""
