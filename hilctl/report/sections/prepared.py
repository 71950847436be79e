"""What was done before anything was measured."""

from hilctl.report.figure import Pictures
from hilctl.report.markup import Html, absent, bullets, code, facts, joined, moment, sentence, table
from hilctl.report.numbers import plain, with_unit
from hilctl.results.commissioned import Commissioned


def prepared(result: Commissioned, pictures: Pictures) -> Html:
    """Zeros, polarity, null, oil."""
    made = result.prepared
    if made is None:
        return absent("What was prepared is not known: the rig was measured as it stood, or preparing did not finish.")
    degc = (made.oil_before_degc, made.oil_after_degc)
    oil = " to ".join(dict.fromkeys(plain(x, 3) for x in degc if x is not None))
    rows = [
        (one.sensor, code(one.key), plain(one.old), plain(one.new), plain(one.read), moment(one.date))
        for one in made.zeroed
    ]
    return joined([
        facts([
            ("Prepared", moment(made.date)), ("Polarity", made.polarity),
            ("Valve's null", f"{plain(100 * made.null_opening, 3)} % of the opening"),
            ("Warmed up for", with_unit(made.warm_up_s, "s") if made.warm_up_s else ""),
            ("Oil", f"{oil} °C" if oil else "no temperature was measured"), ("Epoch", str(made.epoch)),
        ]),
        table(("sensor", "key", ">offset before", ">offset now", ">it read", "date"), rows,
              "Sensors that were zeroed, in the sensor's own unit")
        or absent("No sensor was zeroed."),
        bullets(sentence(text) for text in made.remarks),
    ])  # fmt: skip
