"""`hilctl doctor --fix`: writes the settings that are safe, after it has listed them."""

import os
from typing import TYPE_CHECKING, Any

from hilctl.cli.output import as_json, say
from hilctl.errors import DONE, RIG_SAID_NO, HilctlError

if TYPE_CHECKING:
    from hilctl.doctor.finding import Tree, Wish
    from hilctl.doctor.fix import Done, Step


def fix(tree: "Tree", wish: "Wish", rig: str, *, dry: bool, json: bool) -> int:
    """Lists, writes, and says what was before and how to take it back."""
    from hilctl.doctor.examine import settings
    from hilctl.doctor.fix import carried_out, planned

    steps = planned(settings(tree, wish), tree)
    if not dry and steps and os.geteuid() != 0:
        command = f"sudo hilctl doctor {rig + ' ' if rig else ''}--fix"
        raise HilctlError(f"--fix writes settings of the kernel, which needs root; nothing was changed: `{command}`, "
                          "or --fix --dry-run to see what it would write", key="--fix")
    if not json:
        _list(steps, dry)
    done = [] if dry else carried_out(steps, tree)
    if json:
        as_json({"dry_run": dry, "planned": [_of(step) for step in steps],
                 "done": [{**_of(one.step), "problem": one.problem} for one in done]})  # fmt: skip
    elif done:
        _report(done, rig)
    return RIG_SAID_NO if any(one.problem for one in done) else DONE


def _of(step: "Step") -> dict[str, Any]:
    return {"what": step.what, "path": step.write.path, "before": step.before, "value": step.write.value,
            "undo": step.undo.command}  # fmt: skip


def _list(steps: "list[Step]", dry: bool) -> None:
    if not steps:
        say("nothing to change: every setting that --fix may write is as it should be")
        return
    say("would write:" if dry else "writing:")
    for step in steps:
        say(f"  {step.write.command}   # {step.what}: {step.before} now")
    if dry:
        say("nothing was changed")


def _report(done: "list[Done]", rig: str) -> None:
    for one in done:
        if one.problem:
            say(f"refused by the kernel: {one.step.write.path} stays {one.step.before}: {one.problem}")
    made = [one.step for one in done if not one.problem]
    say(f"{len(made)} of {len(done)} settings changed, until the next start of this host; to take them back:")
    for step in made:
        say(f"  {step.undo.command}")
    say(f"`hilctl doctor{' ' + rig if rig else ''}` measures what it brought, and says how to keep each for good")
