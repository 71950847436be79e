"""Is this host fit for real time, and what to change: findings from /proc and /sys, from trying, and from measuring."""
