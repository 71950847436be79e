"""The example of docs/specimens.md runs as it is printed."""

import re
from pathlib import Path

PAGE = Path(__file__).resolve().parents[4] / "docs" / "specimens.md"


def test_the_example_of_the_page_runs():
    (code,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    exec(code.replace("seconds=50", "seconds=0.1").replace("own, 5,", "own, 0.1,"), {})
