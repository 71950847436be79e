"""The study that combines frequency responses, transfer functions and the grey box, and what each kind of rig adds."""
