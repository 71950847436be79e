"""What was done before anything was measured."""

from hilctl.report.markup import Html, absent, bullets, code, facts, joined, moment, sentence, table
from hilctl.report.numbers import plain, with_unit
from hilctl.report.part import Part
from hilctl.report.sections.common import Pictures


def prepared(told: Part, pictures: Pictures) -> Html:
    """Zeros, polarity, null, oil."""
    made = told["prepared"] or told["campaign_data"]["prepared"]
    if not made:
        return absent("What was prepared is not known: the rig was measured as it stood, or preparing did not finish.")
    null = made["null_opening"].number
    before, after = made["oil_before_degc"].number, made["oil_after_degc"].number
    oil = " to ".join(dict.fromkeys(plain(x, 3) for x in (before, after) if x is not None))
    rows = [
        (one["sensor"].text, code(one["key"].text), plain(one["old"].number), plain(one["new"].number),
         plain(one["read"].number), moment(one["date"].text))
        for one in made["zeroed"].parts
    ]  # fmt: skip
    return joined([
        facts([
            ("Prepared", moment(made["date"].text)), ("Polarity", made["polarity"].text),
            ("Valve's null", "" if null is None else f"{plain(100 * null, 3)} % of the opening"),
            ("Warmed up for", with_unit(made["warm_up_s"].number, "s") if made["warm_up_s"].number else ""),
            ("Oil", f"{oil} °C" if oil else "no temperature was measured"),
            ("Epoch", made["epoch"].text),
        ]),
        table(("sensor", "key", ">offset before", ">offset now", ">it read", "date"), rows,
              "Sensors that were zeroed, in the sensor's own unit")
        or absent("No sensor was zeroed."),
        bullets(sentence(text) for text in made["remarks"].texts),
    ])  # fmt: skip
