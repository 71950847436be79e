"""The status as a dozen lines."""

from collections.abc import Iterator
from typing import Any

from hilctl.wire.ops_jobs import LIVE


def lines(status: dict[str, Any], hello: dict[str, Any]) -> Iterator[str]:
    """What a person wants to know first, first."""
    plant = "twin" if hello["twin"] else "rig"
    how = f"{plant}, {status['clock']} clock, {hello['rate_hz']:g} Hz, epoch {status['epoch']}"
    yield f"{status['rig']}: {mode_text(status)}   ({how})"
    if status["state"] != "running":
        yield f"  service    {status['state']} {status['gone']}".rstrip()
    if status["trip"]:
        yield from _trip(status["trip"])
    if status["warnings"]:
        yield f"  warnings   {', '.join(status['warnings'])}"
    if status["position_m"] is not None:
        yield f"  position   {1e3 * status['position_m']:.3f} mm"
    if supply := status.get("supply"):  # an older service has none
        measured = f", {supply['pressure_pa'] / 1e6:.2f} MPa" if supply["pressure_pa"] is not None else ""
        yield f"  supply     {supply['level']}{measured}"
    yield f"  link       {link_text(status['link'])}"
    yield f"  lease      {lease_text(status['lease'])}"
    yield f"  recording  {recording_text(status['recording'])}"
    if status.get("alarms"):
        yield f"  alarms     {status['alarms']} not acknowledged; `hilctl alarms` lists them"
    if status.get("job"):  # an older service has none
        yield f"  job        {job_text(status['job'])}"
    core = status["core"]
    yield f"  loop       {loop_text(core)}"
    if status["clock"] == "real":
        for stage, times in core["last_ten_seconds"].items():
            yield f"  {stage:<10} {_times(times)}"
        yield f"  scheduler  {_granted(core['granted'])}"
    for message in core["messages"][-3:]:
        yield f"  core       {message}"
    yield f"  commands   {hello['endpoints']['commands']}, up {status['uptime_s']:.0f} s"


def mode_text(status: dict[str, Any]) -> str:
    """The mode, and the step of arming or the number of the motion."""
    step = f", {status['arming'].replace('_', ' ')}" if status["mode"] == "standby" else ""
    motion = f", motion {status['motion']}" if status["motion"] else ""
    return f"{status['mode']}{step}{motion}"


def _trip(trip: dict[str, Any]) -> Iterator[str]:
    yield f"  TRIPPED    {trip['name']}: {trip['text']}; then `hilctl reset`"


def job_text(job: dict[str, Any]) -> str:
    """What it is and how far; how it ended."""
    text = f"{job['job']}  {job['kind']}, {job['state']}, started by {job['by']}"
    if job["state"] in LIVE:
        share = f" ({job['fraction']:.0%})" if job["fraction"] is not None else ""
        left = f", {job['left_s']:.0f} s left" if job["left_s"] is not None else ""
        return f"{text}: {job['part'] or 'starting'}{share}{left}"
    took = f", took {1e-9 * (job['ended_ns'] - job['begun_ns']):.0f} s" if job["ended_ns"] is not None else ""
    return text + took + (f": {job['reason']}" if job["reason"] else "")


def link_text(link: dict[str, Any]) -> str:
    """Open: what went wrong so far and the oldest reading. Lost: since when, why, and what is done about it."""
    if link["state"] != "open":
        doing = f", attempt {link['attempts']}" if link["state"] == "reconnecting" else ""
        since = f"{link['state'].upper()} for {link['since_s']:.1f} s"
        return f"{link['driver']}, {since}{doing}: {link['reason']}".rstrip(": ")
    failed = [f"{count} {name.replace('_', ' ')}" for name, count in link["errors"].items() if count]
    ages = {name: age["oldest"] for name, age in link["ages_ms"].items()}
    oldest = max(ages, key=lambda name: ages[name]) if ages else ""
    parts = [f"{link['driver']}, open", ", ".join(failed) or "no errors"]
    parts += [f"{link['lost']} commands lost"] if link["lost"] else []
    parts += [f"reconnects: {link['reconnects']}"] if link["reconnects"] else []
    parts += [f"oldest reading {oldest} {ages[oldest]:.1f} ms"] if oldest else []
    return "; ".join(parts)


def loop_text(core: dict[str, Any]) -> str:
    """Ticks that ran, those that were missed and by whose fault, samples that were lost."""
    blamed = ", ".join(f"{stage} {count}" for stage, count in core["blamed"].items() if count)
    missed = f"{core['missed']} missed" + (f" ({blamed})" if blamed else "")
    return f"{core['ran']} ticks ran, {missed}, {core['rows_lost']} samples lost"


def lease_text(lease: dict[str, Any] | None) -> str:
    """Who holds it, and for how long."""
    if not lease:
        return "free"
    idle = f", ends in {lease['ends_in_s']:.0f} s unless used" if lease["kind"] == "console" else ""
    return f"{lease['kind']}, held by {lease['holder']}{idle}"


def recording_text(recording: dict[str, Any]) -> str:
    """Off, or its state and file."""
    if recording["state"] == "off":
        return "off"
    reason = f": {recording['reason']}" if recording.get("reason") else ""
    return f"{recording['state']}{reason}, {recording['path']}"


def _times(times: dict[str, Any]) -> str:
    """Microseconds, p50 to max."""
    names = {"p50_ns": "p50", "p99_ns": "p99", "p999_ns": "p99.9", "max_ns": "max"}
    return ", ".join(f"{shown} {times[name] / 1e3:.1f}" for name, shown in names.items()) + " µs"


def _granted(granted: dict[str, Any]) -> str:
    priority = f"SCHED_FIFO {granted['priority']}" if granted["fifo"] else "ordinary priority"
    memory = "memory locked" if granted["locked"] else "memory not locked"
    pinned = f"pinned to processor {granted['cpu']}" if granted["cpu"] >= 0 else "not pinned"
    return f"{priority}, {memory}, {pinned}"
