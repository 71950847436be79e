"""Sequences that once broke an invariant, each shortened. What the soak prints goes here."""

KEPT: dict[str, str] = {
    "supply_lost_and_back": """
        rig plain
        A take
        A arm
        wait 1
        A move position_m=0.02
        wait 2
        supply lost
        wait 10
        supply back
        wait 1
    """,
    "zero_while_held": """
        rig pid
        B take
        B arm
        wait 1
        B zero displacement samples=50 to=-0.02
        wait 1
    """,
    "valve_reversed_behind_the_plug": """
        rig no_spool
        A take
        A arm
        wait 1
        A off
        wait 0.5
        unplug
        wait 1.5
        wire valve reversed
        plug
        wait 0.1
        A arm
        wait 1
    """,
    "accelerometer_reversed_behind_the_plug": """
        rig no_spool
        A take
        A arm
        wait 1
        A off
        wait 0.5
        unplug
        wait 0.1
        wire acceleration reversed
        plug
        A arm
        wait 1
    """,
    "pressures_exchanged": """
        rig inverse
        B take
        wire pressures exchanged
        B arm
        wait 1
    """,
    "lease_lost_and_nobody_there": """
        rig plain
        A take
        A arm
        wait 1
        A track sine amplitude_m=0.02 frequency_hz=1
        wait 1
        A dies
        wait 7
    """,
    "limit_of_late_ticks_tightened": """
        rig plain
        A take
        A arm
        wait 1
        A set limits.late.ticks=5
        A track sine amplitude_m=0.02 frequency_hz=1
        wait 1
        stall 15
        wait 0.5
    """,
    "arming_disturbed": """
        rig plain
        A take
        A arm
        wait 0.19
        sensor displacement drift 0.12 500
        wait 1.5
        A reset
        A arm
        wait 1
    """,
    "emergency_stop_taken_away": """
        rig blind
        B take
        stop pressed
        wait 0.1
        B set sensors.emergency_stop.present=false
        wait 0.1
        B reset
        B arm
        wait 0.5
    """,
    "stalls_in_the_corners_of_a_triangle": """
        rig plain
        A take
        A arm
        wait 1
        A track triangle amplitude_m=0.04 speed_m_s=0.24
        wait 0.9
        stall 45
        wait 0.4
        stall 45
        wait 0.4
    """,
    "stop_under_stalls": """
        rig continue
        A take
        A arm
        wait 1
        A move position_m=-0.05 duration_s=1
        wait 0.35
        stalls 35 2 30
    """,
    "sine_under_stalls": """
        rig plain
        A take
        A arm
        wait 1
        A track sine amplitude_m=0.02 frequency_hz=1
        wait 1
        stalls 35 6 40
    """,
    "held_under_stalls": """
        rig plain
        A take
        A arm
        wait 0.6
        stalls 35 6 30
        wait 0.5
    """,
    "zero_of_the_accelerometer_while_held": """
        rig null
        A take
        A arm
        wait 1
        A set sensors.acceleration.offset=0.5
        wait 1
    """,
    "link_lost_where_that_only_stops": """
        rig stop
        K take
        K arm
        wait 1
        K track triangle amplitude_m=0.01 speed_m_s=0.05
        wait 0.1
        unplug
        wait 0.5
        plug
        wait 0.5
    """,
    "limit_loosened_while_armed": """
        rig plain
        A take
        A arm
        wait 1
        A set limits.tracking_error.action=warn
    """,
    "inverse_model_under_short_stalls": """
        rig inverse
        K take
        K arm
        wait 0.2
        push -3500 0.1
        wait 0.4
        K track chirp amplitude_m=0.003 start_hz=0.5 end_hz=8 duration_s=4
        stalls 2 6 30
    """,
    "move_led_past_its_end_by_stalls": """
        rig plain
        A take
        A arm
        wait 1
        A move position_m=0.05 speed_m_s=0.4
        wait 0.1
        stalls 6 20 20
        wait 0.3
    """,
    "stalls_while_held_after_a_stop": """
        rig pid
        B take
        B arm
        wait 1
        B move position_m=0.06
        wait 0.8
        B stop
        wait 0.1
        stalls 35 6 30
    """,
    "ten_of_twelve_periods_missed": """
        rig blind
        A take
        A arm
        wait 1
        A track triangle amplitude_m=0.01 speed_m_s=0.05
        wait 1
        stalls 10 2 30
    """,
    "null_while_a_sine_is_fast": """
        rig stop
        A take
        A arm
        wait 1
        A track sine amplitude_m=0.03 frequency_hz=2
        wait 2.1
        status overwritten 40 1
        wait 0.5
    """,
    "supply_lost_unseen_under_a_small_motion": """
        rig blind
        A take
        A arm
        wait 1.5
        A track sine amplitude_m=0.02 frequency_hz=0.5
        wait 2
        supply lost
        wait 4
        supply back
        wait 1
    """,
    "reset_twice_in_one_tick": """
        rig pid
        A take
        A arm
        wait 1
        A move position_m=0.05 duration_s=1
        wait 0.1
        A dies
        wait 2.1
        B take
        wait 0.25
        B reset
        B reset
        wait 0.5
    """,
    "stalled_for_longer_than_there_is_room": """
        rig pid
        B take
        B arm
        wait 1.0
        B track triangle amplitude_m=0.05 speed_m_s=0.5
        wait 4.0
        stall 120
        wait 1.0
    """,
    "pushed_as_the_link_is_lost": """
        rig continue
        mute bad_reply 2000 1
        wait 0.01
        wait 1.0
        push -6000 0.1
    """,
}
