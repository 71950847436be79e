"""The law's whole memory between two ticks, as one record. Copying it copies the law."""

from typing import Any

import numpy as np

from hilctl.law.adapt import ADAPT
from hilctl.law.arming import ARMING
from hilctl.law.delivery import DELIVERY
from hilctl.law.effort import EFFORT
from hilctl.law.estimate import ESTIMATE
from hilctl.law.feed import LINEAR
from hilctl.law.freshness import FRESH
from hilctl.law.guards import GUARD
from hilctl.law.inverse import INVERSE
from hilctl.law.landing import LANDING
from hilctl.law.notch import NOTCHES
from hilctl.law.output import OUTPUT
from hilctl.law.pid import PID
from hilctl.law.reference import HISTORY, MOTION, POINT, REJOIN
from hilctl.law.sensors import CHECKED
from hilctl.law.settings import SETTINGS
from hilctl.law.stillness import STILL
from hilctl.law.three_state import THREE_STATE
from hilctl.law.valve_stage import VALVE
from hilctl.params import record_of

# How the last motion ended.
COMPLETED, STOPPED, TRIPPED = 1, 2, 3  # that an external reference ran dry, its bank says

STATE: Any = record_of(
    [
        # the active parameter set, and the two between which it is interpolated
        ("now", SETTINGS),
        ("source", SETTINGS),
        ("target", SETTINGS),
        ("epoch", np.int64),
        ("blend", np.float64),  # 1 when the target is reached
        ("linear", LINEAR),
        ("inverse", INVERSE),
        ("without_inverse", np.float64),  # share of it that the motion does without, blended in and out
        ("u_inverse", np.float64),
        ("u_feed", np.float64),
        ("side", np.float64),  # of the overlap on which the feed-forward is, with lead (valve_stage.py)
        ("opening_ahead", np.float64),  # of the feed-forward when it acts
        # time
        ("tick", np.int64),
        ("periods", np.int64),  # 1 + skipped before this tick
        ("started", np.int64),
        # mode
        ("mode", np.int64),
        ("off_after", np.int64),  # the stop that runs ends in off
        ("enable", np.int64),
        ("supply", np.int64),
        ("supply_s", np.float64),  # since another level was asked for in hold, until it is there; else 0
        ("authority", np.float64),
        ("arm", ARMING),
        ("off_s", np.float64),  # for how long it has been off
        ("device_tick", np.int64),
        # after a trip, while it is held, and at null (escalation.py)
        ("held_s", np.float64),
        ("passed_s", np.float64),
        ("null_s", np.float64),
        # what displacement read at the start of the run: its unshifted zero and gain
        ("first_offset", np.float64),
        ("first_gain", np.float64),
        # the motion, evaluated `lead` ticks ahead of now
        ("motion", MOTION),
        ("motion_begun", np.int64),  # head tick at which its time is zero
        ("motion_over", np.int64),  # tick at which it is over here, or -1
        ("motion_id", np.int64),
        ("motion_done_id", np.int64),
        ("motion_result", np.int64),
        ("bank", np.int64),
        ("lead", np.int64),
        ("lead_wanted", np.int64),  # by the active settings; while the reference rests it is given
        ("head_tick", np.int64),
        ("head", POINT),
        ("here", POINT),
        ("delayed", POINT),
        ("ahead", POINT),
        ("history", HISTORY),
        ("rejoin", REJOIN),
        # blocks
        ("checked", CHECKED),
        ("still", STILL),
        ("effort", EFFORT),
        ("estimate", ESTIMATE),
        ("guard", GUARD),
        ("pid", PID),
        ("fresh", FRESH),
        ("three_state", THREE_STATE),
        ("pid_share", np.float64),
        ("landing", LANDING),
        ("notches", NOTCHES),
        ("valve", VALVE),
        ("adapt", ADAPT),
        ("output", OUTPUT),
        ("delivery", DELIVERY),
        ("u_applied", np.float64),
        ("u_linear", np.float64),
        ("pressure_ref_pa", np.float64),
        ("u_law", np.float64),
        ("u_notched", np.float64),
    ]
)
