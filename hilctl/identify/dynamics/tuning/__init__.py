"""Gains for the machine that was identified: found, predicted, measured."""
