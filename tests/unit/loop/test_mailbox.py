"""The mailbox's logic in plain Python, in every order in which writer and reader can come."""

import numpy as np
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from hilctl.loop import mailbox

MAIL = 16


def plain(function):
    return getattr(function, "plain", function)


class OneMailbox(RuleBasedStateMachine):
    """The newest of what was put is what a reader finds, and a slot has one owner at any time."""

    def __init__(self):
        super().__init__()
        self.words = np.zeros(32, np.int64)
        self.words[MAIL] = mailbox.MIDDLE_FIRST
        self.slots = [0, 0, 0]
        self.back, self.front = mailbox.WRITER_FIRST, mailbox.READER_FIRST
        self.newest = self.seen = 0

    @rule()
    def put(self):
        self.newest += 1
        self.slots[self.back] = self.newest
        self.back = plain(mailbox.mail_put)(self.words, MAIL, self.back)

    @rule()
    def write_half(self):
        self.slots[self.back] = -1  # whatever the writer has begun stays its own

    @rule()
    def take(self):
        waits = plain(mailbox.rt_mail_waits)(self.words, MAIL)
        assert waits == (self.seen < self.newest)
        if waits:
            self.front = plain(mailbox.rt_mail_take)(self.words, MAIL, self.front)
            assert self.slots[self.front] == self.newest
            self.seen = self.newest

    @invariant()
    def every_slot_has_one_owner(self):
        middle = int(self.words[MAIL]) & mailbox.SLOT
        assert sorted([self.back, middle, self.front]) == [0, 1, 2]

    @invariant()
    def what_was_read_stays_whole(self):
        assert self.seen == 0 or self.slots[self.front] == self.seen


TestOneMailbox = OneMailbox.TestCase
