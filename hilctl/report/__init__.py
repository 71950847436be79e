"""The report of a commissioning: one page that holds everything, and its figures as files.

Both are made from one dict of plain values; whatever part of it is missing, its section says so.
"""

from hilctl.report.drawing import figures
from hilctl.report.page import write

__all__ = ["figures", "write"]
