"""The page of a study: everything that was driven and found, in one HTML file that needs nothing else.

Without matplotlib it has no figures, and says what brings them.
"""

from hilctl.identify.dynamics.report.page import page, write_report

__all__ = ["page", "write_report"]
