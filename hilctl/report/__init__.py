"""The report of a commissioning: one page that holds everything, and its figures as files.

Both are made from one result (hilctl.results.commissioned); a part of it that is missing is said in its section.
"""

from hilctl.report.drawing import drawn, figures
from hilctl.report.page import write

__all__ = ["drawn", "figures", "write"]
