"""Real-time priority, where the host grants it."""

import os


def prefer(priority: int, thread: int = 0) -> bool:
    """Lets a thread (0: this one) run before everything ordinary, by SCHED_FIFO; whether that was allowed."""
    try:
        os.sched_setscheduler(thread, os.SCHED_FIFO, os.sched_param(priority))
    except OSError:
        return False
    return True
