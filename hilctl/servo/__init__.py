"""The linear servo: nine states from a command voltage to the piston, simulated exactly.

    servo = paper_servo()                                    or check(Servo, {...})
    x = simulate(servo, ui, dt_s)                            a whole record
    x, J = sensitivities(servo, ["beta", "m"], ui, dt_s)     and its derivatives by parameters
    H = frequency_response(servo, hz)                        in closed form

In a loop: `c = servo_record(discretise(servo, dt_s))`, a record of `SERVO_STATE`, `rt_servo_begin`, `rt_servo_step`.
"""

from hilctl.servo.batch import sensitivities, simulate
from hilctl.servo.discrete import Discrete, Hold, Slopes, derive, discretise
from hilctl.servo.equations import State, matrices, poles, slopes
from hilctl.servo.frequency import frequency_response
from hilctl.servo.params import BOUNDS, IDENTIFIED, KNOWN, START, Servo, paper_servo
from hilctl.servo.step import SERVO, SERVO_STATE, ServoStatus, rt_servo_begin, rt_servo_step, servo_record

__all__ = [
    "BOUNDS",
    "IDENTIFIED",
    "KNOWN",
    "SERVO",
    "SERVO_STATE",
    "START",
    "Discrete",
    "Hold",
    "Servo",
    "ServoStatus",
    "Slopes",
    "State",
    "derive",
    "discretise",
    "frequency_response",
    "matrices",
    "paper_servo",
    "poles",
    "rt_servo_begin",
    "rt_servo_step",
    "sensitivities",
    "servo_record",
    "simulate",
    "slopes",
]
