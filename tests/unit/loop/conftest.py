"""What all tests of the loop may ask for."""

from tests.forms import forms  # noqa: F401  a fixture
