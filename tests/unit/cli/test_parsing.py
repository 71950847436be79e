"""The command line before anything runs: verbs, options, values."""

import subprocess
import sys

import pytest

from hilctl.cli.identify_parts import check
from hilctl.cli.main import VERBS, main, parser_for
from hilctl.cli.output import pairs, value_of
from hilctl.cli.track import parameters_of
from hilctl.errors import WRONG_USE, WrongUse
from hilctl.law.motions.requests import MOTIONS
from hilctl.params import leaves


def parsed(*words):
    return parser_for(words).parse_args(words)


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_explains_itself(verb, capsys):
    with pytest.raises(SystemExit) as ended:
        parsed(verb, "--help")
    assert ended.value.code == 0
    assert f"hilctl {verb}" in capsys.readouterr().out


def test_short_names_leave_the_unit_out():
    given = parsed("track", "triangle", "--speed", "0.02", "--amplitude", "0.005")
    assert parameters_of(given) == {"speed_m_s": 0.02, "amplitude_m": 0.005}


@pytest.mark.parametrize("flag", ["--speed", "--speed-m-s", "--speed_m_s"])
def test_full_names_do_as_well(flag):
    assert parameters_of(parsed("track", "triangle", flag, "0.5")) == {"speed_m_s": 0.5}


@pytest.mark.parametrize("kind", MOTIONS)
def test_every_declared_parameter_of_a_motion_has_an_option(kind):
    flags = {"float": "0.5", "int": "3", "text": "x"}
    for leaf in leaves(MOTIONS[kind]):
        if leaf.path == "upload":
            continue  # the file is
        words = ["track", kind, *(["a.csv"] if kind == "waveform" else []), f"--{leaf.path}"]
        if leaf.kind == "bool":
            words[-1] = f"--no-{leaf.path}"
        else:
            words.append(leaf.choices[0] if leaf.choices else flags[leaf.kind])
        assert leaf.path in parameters_of(parsed(*words))


def test_a_switch_can_be_switched_off():
    assert parameters_of(parsed("track", "waveform", "a.csv", "--no-return-to-start")) == {"return_to_start": False}


def test_what_is_not_given_is_left_to_the_declaration():
    assert parameters_of(parsed("track", "sine")) == {}


@pytest.mark.parametrize("text", ["-0.05", "-1e-3", "-.5"])
def test_negative_numbers_are_numbers(text):
    assert parsed("move", text).position == float(text)
    assert parameters_of(parsed("track", "sine", "--center", text)) == {"center_m": float(text)}


def test_options_are_not_guessed():
    with pytest.raises(SystemExit) as ended:
        parsed("track", "triangle", "--cyc", "3")
    assert ended.value.code == 2


@pytest.mark.parametrize(
    ("text", "value"),
    [("3", 3), ("-1e-3", -1e-3), ("true", True), ("pid", "pid"), ('"pid"', "pid"), ("[1, 2.5]", [1, 2.5]), ("", "")],
)
def test_a_value_needs_no_quotes(text, value):
    assert value_of(text) == value
    assert type(value_of(text)) is type(value)


@pytest.mark.parametrize("text", ["nan", "NaN", "inf", "-inf"])
def test_what_is_not_finite_arrives_as_a_number_to_be_refused(text):
    assert isinstance(value_of(text), float)


@pytest.mark.parametrize("words", [["law.pid"], ["=3"], ["a=1", "a=2"]])
def test_what_is_no_assignment_is_wrong_use(words):
    with pytest.raises(WrongUse):
        pairs(words)


def test_a_value_may_hold_an_equals_sign():
    assert pairs(["rig.description=a=b"]) == {"rig.description": "a=b"}


@pytest.mark.parametrize("verb", ["run", "status", "watch", "arm", "stop", "set"])
def test_starting_a_verb_loads_no_compiler_and_no_numerics(verb):
    check = (
        "import sys; from hilctl.cli.main import parser_for; parser_for([sys.argv[1]]);"
        "print([m for m in ('numba', 'numpy', 'scipy', 'matplotlib', 'rich', 'zmq') if m in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", check, verb], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("words", "meant"),
    [(("statsu",), "status"), (("track", "triangel"), "triangle"), (("comission",), "commission")],
)
def test_a_word_that_is_not_known_comes_with_the_nearest(words, meant, capsys):
    with pytest.raises(SystemExit) as ended:
        parsed(*words)
    assert ended.value.code == 2
    assert f"did you mean {meant!r}?" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("where", "says"),
    [
        ("localhost:5555", "tcp://localhost:5555"),
        ("tcp://localhost:99999", "1 to 65535"),
        ("tcp://localhost", "HOST:PORT"),
        ("tcp://:80", "HOST:PORT"),
        ("http://localhost:80", "tcp://HOST:PORT"),
    ],
)
def test_an_address_that_is_none_is_refused_with_how_to_write_it(where, says, capsys):
    assert main(["status", "--connect", where]) == WRONG_USE
    assert says in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "settled"),
    [
        ("friction --speeds 0.1 0.2 --budget 60", "--speeds and --budget"),
        ("presliding --budget 30", "--budget"),
        ("presliding --elements 4", "--elements"),
        ("presliding --elements 0 --center 0", "--elements and --center"),
        ("plant --out other", "--out"),
    ],
)
def test_what_was_settled_at_the_begin_is_not_given_again_to_go_on(words, settled):
    with pytest.raises(WrongUse, match=rf"--resume .* leave {settled} out"):
        check(parsed("identify", *words.split(), "--resume", "cut"))
