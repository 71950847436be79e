r"""A request or an answer as a line of the rig file, read into pieces.

    "V{valve:+.4f}\r"                     text with a number
    ">{address:02d} {pressure_a:8} bar\r\n"   a number in exactly eight characters
    "\x02{from}{fault:OK|ERR}\x03{check:X2}"  one of two words; a checksum of what comes after {from}
    "\xAA\x55{displacement:i32le}{check:u16le}"   binary

In a template stand characters, \r \n \t \\ \xHH for bytes, and fields {name@position:format}; {{ and }} are braces.
`@position`, counted from 0, is where the field begins; bytes in between are skipped.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from firmware_bridge.serial_text.checksums import CHECKSUMS, Checksum
from hilctl.errors import BAD_VALUE, HilctlError

LITERAL, DECIMAL, HEX, BINARY, CHOICE, SKIP = range(6)
BIG, LITTLE, SWAPPED = range(3)  # the order of a number's bytes; SWAPPED: 16-bit words, the low one first
CHECK, ADDRESS, FROM, TO = "check", "address", "from", "to"
MOST_NUMBER = 24  # characters of a number without a width
MOST_SKIP = 64  # characters that are skipped up to the next ones that are known
MOST_BYTES = 240  # of a request or an answer

_FIELD = re.compile(r"([A-Za-z_][A-Za-z_0-9]*)(?:@(\d+))?(?::(.*))?", re.DOTALL)
_NUMBER = re.compile(r"(\+?)(0?)(\d{1,2})?(?:\.(\d{1,2}))?([fdxX]?)(\d{1,2})?(s?)")
_BINARY = re.compile(r"(u8|i8|u16|i16|u24|i24|u32|i32|f32|f64)(be|le|sw)?")
_ESCAPE = re.compile(r"\\(x[0-9A-Fa-f]{2}|.)", re.DOTALL)
_KNOWN = {"r": "\r", "n": "\n", "t": "\t", "0": "\0", "\\": "\\"}
_IN_NUMBERS = b"0123456789+-.eE "
_ORDERS = {"": BIG, "be": BIG, "le": LITTLE, "sw": SWAPPED}
FORMATS = ("a text number such as +.4f or 8, hexadecimal digits such as X4, binary u8 i16 u24 i32 f32 f64 with le, be "
           "or sw, or words such as OFF|ON")  # fmt: skip


class TemplateError(HilctlError, ValueError):
    """What is wrong with a template, and where."""

    code = BAD_VALUE

    def __init__(self, what: str, at: int = 0) -> None:
        self.at = at
        super().__init__(f"at character {at}: {what}")


class Piece(NamedTuple):
    """One piece: bytes that are known, or a field."""

    kind: int
    name: str = ""
    text: bytes = b""  # of LITERAL
    words: tuple[bytes, ...] = ()  # of CHOICE
    width: int = 0  # bytes; 0: as many as there are
    decimals: int = 0
    plus: bool = False
    zeros: bool = False
    upper: bool = False
    signed: bool = False
    real: bool = False  # BINARY: a float
    order: int = BIG
    at: int = 0  # where it stands in the template's text

    @property
    def least(self) -> int:
        """Bytes, at least."""
        if self.kind == LITERAL:
            return len(self.text)
        if self.kind == CHOICE:
            return min(map(len, self.words))
        return self.width or int(self.kind == DECIMAL)

    @property
    def most(self) -> int:
        """Bytes, at most."""
        if self.kind == LITERAL:
            return len(self.text)
        if self.kind == CHOICE:
            return max(map(len, self.words))
        return self.width or (MOST_SKIP if self.kind == SKIP else MOST_NUMBER)


class Template(NamedTuple):
    """A template that has been read."""

    pieces: tuple[Piece, ...]
    covers_from: int  # what the checksum covers: from this piece
    covers_to: int  # up to this one

    @property
    def least(self) -> int:
        """Bytes, at least."""
        return sum(piece.least for piece in self.pieces)

    @property
    def most(self) -> int:
        """Bytes, at most."""
        return sum(piece.most for piece in self.pieces)

    @property
    def names(self) -> tuple[str, ...]:
        """Its fields, without address and checksum."""
        return tuple(p.name for p in self.pieces if p.name and p.name not in (CHECK, ADDRESS))

    @property
    def has_check(self) -> bool:
        """Whether it has a checksum."""
        return any(piece.name == CHECK for piece in self.pieces)

    @property
    def terminator(self) -> bytes:
        """Control characters at its end that stand nowhere else in it; empty: it has none."""
        last = self.pieces[-1] if self.pieces else Piece(SKIP)
        if last.kind != LITERAL or any(p.kind == BINARY or (p.kind == SKIP and p.width) for p in self.pieces):
            return b""
        found = re.search(rb"[\x00-\x1f]+\Z", last.text)
        known = b"".join(piece.text or b" " for piece in self.pieces)
        return found[0] if found and known.count(found[0]) == 1 else b""


def plain_bytes(text: str, at: int = 0) -> bytes:
    """The bytes of literal text, with its escapes."""

    def replaced(found: re.Match[str]) -> str:
        word = found[1]
        if word[0] == "x" and len(word) == 3:
            return chr(int(word[1:], 16))
        if word not in _KNOWN:
            raise TemplateError(f"\\{word} is no escape; known: \\r \\n \\t \\0 \\\\ \\xHH", at + found.start())
        return _KNOWN[word]

    try:
        return _ESCAPE.sub(replaced, text).encode("latin-1")
    except UnicodeEncodeError as error:
        what = f"{text[error.start]!r} is no character of one byte; write \\xHH"
        raise TemplateError(what, at + error.start) from None


def read(text: str, *, address: int = 0, checksum: str = "", length: int = 0) -> Template:
    """The template of this text. TemplateError says what is wrong with it, and where."""
    pieces: list[Piece] = []
    covers_from = covers_to = -1
    for piece in _split(text):
        if piece.name == FROM:
            covers_from = len(pieces)
        elif piece.name == TO:
            covers_to = len(pieces)
        elif piece.name == ADDRESS:
            pieces.append(_address(piece, address))
        else:
            _place(pieces, piece)
    if length and pieces:
        _place(pieces, Piece(SKIP, "end", width=-length, at=len(text)))
    _check_order(pieces, text)
    checks = [k for k, piece in enumerate(pieces) if piece.name == CHECK]
    if checks:
        _check_checksum(pieces, checks, checksum)
        covers_from = max(covers_from, 0)
        covers_to = covers_to if covers_to >= 0 else checks[0]
    return Template(tuple(pieces), max(covers_from, 0), max(covers_to, 0))


def _split(text: str) -> Iterator[Piece]:
    """Literals and fields, as they come."""
    literal, begun, k = "", 0, 0
    while k < len(text):
        if text[k] == "\\":
            literal, k = literal + text[k : k + 2], k + 2
        elif text[k : k + 2] in ("{{", "}}"):
            literal, k = literal + text[k], k + 2
        elif text[k] == "}":
            raise TemplateError("} without {; write }} for the character", k)
        elif text[k] == "{":
            end = text.find("}", k)
            if end < 0:
                raise TemplateError("{ without }; write {{ for the character", k)
            if literal:
                yield Piece(LITERAL, text=plain_bytes(literal, begun), at=begun)
            yield _field(text[k + 1 : end], k)
            literal, k = "", end + 1
            begun = k
        else:
            literal, k = literal + text[k], k + 1
    if literal:
        yield Piece(LITERAL, text=plain_bytes(literal, begun), at=begun)


def _field(text: str, at: int) -> Piece:
    found = _FIELD.fullmatch(text)
    if found is None:
        raise TemplateError(f"{{{text}}} is no field; write {{name}}, {{name:format}} or {{name@position:format}}", at)
    name, place, form = found[1], found[2], found[3] or ""
    made = _formatted(name, form, at)
    return made._replace(name=name if place is None else f"{name}@{place}", at=at)


def _formatted(name: str, form: str, at: int) -> Piece:
    if name in (FROM, TO):
        return Piece(SKIP, name)
    if name == "skip":
        if form and not form.isdigit():
            raise TemplateError(f"skip:{form} must be a number of bytes", at)
        return Piece(SKIP, "skip", width=int(form or 0))
    if "|" in form:
        words = tuple(plain_bytes(word, at) for word in form.split("|"))
        if not all(words) or len(set(words)) < len(words):
            raise TemplateError(f"the words {form!r} must be different, and none may be empty", at)
        return Piece(CHOICE, name, words=words)
    if binary := _BINARY.fullmatch(form):
        kind, bits = binary[1][0], int(binary[1][1:])
        if binary[2] == "sw" and bits != 32:
            raise TemplateError(f"{form}: sw exchanges the 16-bit words of 32 bits", at)
        return Piece(BINARY, name, width=bits // 8, signed=kind == "i", real=kind == "f",
                     order=_ORDERS[binary[2] or ""])  # fmt: skip
    number = _NUMBER.fullmatch(form)
    if number is None:
        raise TemplateError(f"{form!r} is no format; known: {FORMATS}", at)
    plus, zeros, width, decimals, kind, digits, signed = number.groups()
    if kind in ("x", "X"):
        width = digits or width
        if not width or decimals or plus or not 1 <= int(width) <= 12:
            raise TemplateError(f"{form!r}: hexadecimal digits need their number, such as {kind}4", at)
        return Piece(HEX, name, width=int(width), upper=kind == "X", signed=bool(signed))
    if digits or signed:
        raise TemplateError(f"{form!r} is no format; known: {FORMATS}", at)
    if int(width or 0) > MOST_NUMBER or int(decimals or 0) > 9:
        raise TemplateError(f"{form!r}: at most {MOST_NUMBER} characters, 9 of them decimals", at)
    places = 0 if kind == "d" else int(decimals) if decimals else _usual_decimals(int(width or 0))
    if width and int(width) < bool(plus) + 1 + places + bool(places):
        raise TemplateError(f"{form!r}: {width} characters are too few for {places} decimals", at)
    return Piece(DECIMAL, name, width=int(width or 0), plus=bool(plus), zeros=bool(zeros), decimals=places)


def _usual_decimals(width: int) -> int:
    """Where a template only says how wide a number is: for what is sent, and by an emulated device."""
    return min(3, max(width - 4, 0)) if width else 3


def _address(piece: Piece, address: int) -> Piece:
    """The device's own address: bytes that are known."""
    if piece.kind == HEX:
        text = f"{address:0{piece.width}{'X' if piece.upper else 'x'}}".encode()
    elif piece.kind == BINARY and not piece.real:
        text = address.to_bytes(piece.width, "little" if piece.order == LITTLE else "big")
    elif piece.kind == DECIMAL:
        text = f"{address:{'0' if piece.zeros else ''}{piece.width or ''}d}".encode()
    else:
        raise TemplateError("an address is a number: 02d, X2 or u8", piece.at)
    return Piece(LITERAL, ADDRESS, text=text, at=piece.at)


def _place(pieces: list[Piece], piece: Piece) -> None:
    """Puts a piece behind the others, or at the position that it names."""
    name, _, place = piece.name.partition("@")
    wanted = -piece.width if piece.width < 0 else int(place) if place else None
    if wanted is not None:
        here = sum(one.most for one in pieces)
        if sum(one.least for one in pieces) != here:
            raise TemplateError(f"position {wanted} has no meaning behind a field of any length", piece.at)
        if wanted < here:
            raise TemplateError(f"its fields end at byte {here}, outside length = {wanted}" if piece.width < 0
                                else f"{{{name}}} at byte {wanted} overlaps what ends at byte {here}", piece.at)
        if wanted > here:
            pieces.append(Piece(SKIP, width=wanted - here, at=piece.at))
    if piece.width >= 0:
        pieces.append(piece._replace(name="" if name == "skip" else name))


def _check_order(pieces: list[Piece], text: str) -> None:
    """Where each piece ends must be known."""
    if not pieces:
        return
    for piece, after in zip(pieces, [*pieces[1:], None], strict=True):
        if piece.width or piece.kind not in (DECIMAL, SKIP):
            continue
        free = after is not None and (after.text or after.words)
        if not free:
            name = piece.name or "skip"
            raise TemplateError(f"{{{name}}} has no width, so known characters must follow it", piece.at)
        first = [after.text[:1]] if after.text else [word[:1] for word in after.words]  # type: ignore[union-attr]
        if piece.kind == DECIMAL and any(one in _IN_NUMBERS.replace(b" ", b"") for one in first):
            raise TemplateError(f"{{{piece.name}}} has no width, and what follows it could belong to it", piece.at)
    most = sum(piece.most for piece in pieces)
    if most > MOST_BYTES:
        raise TemplateError(f"may be {most} bytes long; at most {MOST_BYTES}", len(text))
    names: set[str] = set()
    for piece in pieces:
        if piece.name in names:
            raise TemplateError(f"{{{piece.name}}} stands there twice", piece.at)
        names |= {piece.name} - {"", ADDRESS}


def _check_checksum(pieces: list[Piece], checks: list[int], checksum: str) -> None:
    piece = pieces[checks[0]]
    if checksum not in CHECKSUMS:
        raise TemplateError("{check} has no kind: set checksum to one of " + ", ".join(CHECKSUMS), piece.at)
    own: Checksum = CHECKSUMS[checksum]
    base = {BINARY: 256, HEX: 16}.get(piece.kind, 10)
    room = base ** (piece.width or 9)
    if piece.real or piece.kind == CHOICE or piece.kind == SKIP or room < 1 << own.bits:
        raise TemplateError(f"{{check}} must hold the {own.bits} bits of {checksum}: X{own.bits // 4} or "
                            f"u{own.bits}", piece.at)  # fmt: skip
