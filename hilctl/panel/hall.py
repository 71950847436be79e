"""The page: its head, which is always in sight, and the tabs below it. One desk a page, one seat a browser's tab."""

from typing import TYPE_CHECKING, Any

from hilctl.panel.desk import Desk
from hilctl.panel.feed import Feed
from hilctl.panel.head import Head
from hilctl.panel.seat import Seat, StopLine
from hilctl.panel.views import VIEWS
from hilctl.panel.views.scope import ScopeView

if TYPE_CHECKING:
    from hilctl.panel.views.view import View

_EVERY_S = 0.25
_CONNECTS_S = 20.0
_SEATS = 64  # of tabs that were closed, the newest are remembered


class Hall:
    """All that is open."""

    def __init__(self, feed: Feed) -> None:
        self.feed = feed
        self.desks: dict[str, Desk] = {}  # by page
        self.seats: dict[str, Seat] = {}  # by tab
        self.stop_line = StopLine(feed)

    def close(self) -> None:
        """Gives every connection back; leases end by themselves."""
        for seat in self.seats.values():
            seat.close()

    async def page(self) -> None:
        """Draws it, then finds out whose it is."""
        from nicegui import context, ui

        client = context.client
        desk = self.desks[client.id] = Desk(self.feed, self.stop_line)
        client.on_delete(lambda: self._gone(client.id))
        ui.add_head_html('<link rel="stylesheet" href="/static/panel.css">')
        scripts = "".join(f'<script type="module" src="/static/{name}.js"></script>' for name in ("line", "scope"))
        ui.add_body_html(f'<script>window.hilctl = {{ page: "{client.id}" }};</script>{scripts}')
        ui.colors(primary="#0b4f8a", negative="#b3151b", positive="#1b6e3c", warning="#f2b84b")
        ui.button.default_props("no-caps")
        for field in (ui.input, ui.number, ui.select):
            field.default_props("hide-bottom-space")
        dark = ui.dark_mode(None)
        head = Head(desk, dark)
        views: dict[str, View] = {}
        with ui.tabs().props("align=left outside-arrows mobile-arrows inline-label no-caps dense") as tabs:
            for view in VIEWS:
                ui.tab(view.name).props(f'aria-label="{view.name}"')
        boxes: dict[str, Any] = {}
        panels = ui.tab_panels(tabs, value=VIEWS[0].name, animated=False, keep_alive=True).style("width:100%")
        with panels:
            for view in VIEWS:
                with ui.tab_panel(view.name).classes("hil-page") as boxes[view.name]:
                    pass

        def show(name: str) -> None:
            if name not in views:
                kind = next(view for view in VIEWS if view.name == name)
                with boxes[name]:
                    views[name] = kind(desk)
                    views[name].build()
            desk.watch(scope=name == ScopeView.name)
            views[name].shown()

        shown_of = {"changed": -1}

        def refresh() -> None:
            if desk.seat is not None:
                desk.seat.look()
            if desk.seat is None or (self.feed.changed == shown_of["changed"] and not views[tabs.value].lively):
                head.tick()
                return
            shown_of["changed"] = self.feed.changed
            head.refresh()
            views[tabs.value].refresh()

        head.refresh()
        show(VIEWS[0].name)
        tabs.on_value_change(lambda change: show(change.value))
        await client.connected(_CONNECTS_S)
        tab = client.tab_id or client.id
        desk.sit(self.seats.setdefault(tab, Seat(self.feed)))
        ui.timer(_EVERY_S, refresh)

    def _gone(self, page: str) -> None:
        desk = self.desks.pop(page, None)
        if desk is not None:
            desk.close()
        absent = [tab for tab, seat in self.seats.items() if not seat.present()]
        for tab in absent[: max(0, len(self.seats) - _SEATS)]:
            self.seats.pop(tab).close()
