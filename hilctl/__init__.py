"""hilctl: a real-time controller service for servo-hydraulic test rigs."""

__version__ = "0.1.0"
