"""The operator's page: a client of the wire like any other, in a process of its own, shown by a browser.

feed     telemetry, status and events as they come; one for all browsers
samples  every channel by tick, at the full rate and as extremes
view     what one browser shows of them: frames of columns, and what the cursors read
trigger  finds the instant in the samples themselves; capture  fetches what belongs to it, whole
seat     what one browser may do: its own connection, its lease
door     who may open the page
page     the page; views/ its seven parts
"""
