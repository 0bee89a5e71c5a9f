#!/usr/bin/env python3
"""Sealed files of a sender who knows all secrets and tries to make one file open to two contents:
docs/sealed-format.md, clause 8.

  attacks.py LIBVERSHINA

Each attack is built over the GOST engine's primitives; if it relies on MGM, its equations are solved, and both keys are
shown to accept the chunk before the library and the independent reader have to refuse it. Ends with 77 and the reason
where OpenSSL has no GOST engine.
"""
import sys

sys.dont_write_bytecode = True
import primitives  # noqa: E402
import sealed_format as fmt  # noqa: E402
from independent import Library, Status  # noqa: E402
from primitives import mgm_blocks, multiply, numbers, sum_of_products, xor  # noqa: E402

# Statuses of vershina.h.
OPENS, FORMAT, VERSION, WRONG_KEY, CHUNK = 0, 24, 25, 27, 28
ALICE, BOB, MALLORY = ((fmt.PASSPHRASE, name, 1000) for name in (b"Alice's", b"Bob's", b"Mallory's"))


def inverse(a):
    """a^(2^128 - 2)"""
    power, result = a, 1
    for _ in range(127):
        power = multiply(power, power)
        result = multiply(result, power)
    return result


def chunk_for_both(g, keys, nonce, datas, plaintexts):
    """A chunk that MGM opens under both keys: the plaintext of one first, then the other's, then two blocks that solve
    the equations of both tags."""
    front, back = plaintexts
    assert len(front) % 16 == len(back) % 16 == 0
    length = len(front) + len(back) + 32
    gammas = [g.mgm_gamma(key, nonce, length) for key in keys]
    start = len(front)
    ciphertext = xor(front, gammas[0]) + xor(back, gammas[1][start:start + len(back)]) + bytes(32)
    tag = bytes(range(16))
    rows, rights = [], []
    for key, data in zip(keys, datas):
        blocks = mgm_blocks(data, ciphertext)
        multipliers = g.mgm_multipliers(key, nonce, len(blocks))
        rows.append(multipliers[-3:-1])  # of the two free blocks, the last but for the lengths
        wanted, = numbers(g.engine.encrypt_blocks(key, tag, 0))
        rights.append(wanted ^ sum_of_products(multipliers, blocks))
    (a, b), (c, d) = rows
    scale = inverse(multiply(a, d) ^ multiply(b, c))
    x = multiply(scale, multiply(rights[0], d) ^ multiply(rights[1], b))
    y = multiply(scale, multiply(a, rights[1]) ^ multiply(c, rights[0]))
    chunk = ciphertext[:-32] + x.to_bytes(16, "big") + y.to_bytes(16, "big") + tag
    opened = [g.open(key, nonce, data, chunk) for key, data in zip(keys, datas)]
    assert opened[0].startswith(front) and opened[1][start:].startswith(back), "the equations were not solved"
    return chunk


class Attacks:
    def __init__(self, g):
        self.g = g
        self.keys = [bytes([i]) * 32 for i in (1, 2)]
        self.preambles = [fmt.preamble(g, key, 12) for key in self.keys]
        self.texts = b"pay 100 to Alice".ljust(160, b"."), b"pay 999999 to Bob".ljust(160, b".")
        self.whole = fmt.payload(g, self.preambles[0], self.keys[0], self.texts[0])

    def entry(self, who, file, salt=7, preamble=None):
        """The recipient, who gets the key of that file."""
        kind, secret, iterations = who
        preamble = preamble or self.preambles[file]
        return fmt.recipient(self.g, preamble, self.keys[file], kind, secret, bytes([salt]) * 32, iterations)

    def slot(self, file, generation, *entries, preamble=None):
        return fmt.slot(self.g, preamble or self.preambles[file], self.keys[file], generation, entries)

    def salamander(self, datas):
        """A last chunk 0 that both file keys accept, each with its preamble."""
        g, nonce = self.g, fmt.nonce(0, True)
        keys = [fmt.chunk_key(g, data, key, 0) for data, key in zip(datas, self.keys)]
        return chunk_for_both(g, keys, nonce, datas, self.texts) + fmt.END

    # ---- Each gives a file, and what the library must say to whom --------------------------------------------------

    def salamander_in_two_slots(self):
        for places in ((0, 1), (1, 0)):
            slots = [self.slot(i, 1 + place, self.entry((ALICE, BOB)[i], i)) for place, i in enumerate(places)]
            yield b"".join(slots) + self.salamander(self.preambles), {ALICE: FORMAT, BOB: FORMAT}

    def salamander_under_one_preamble(self):
        pre = self.preambles[0]
        payload = self.salamander([pre, pre])
        alices, bobs = self.entry(ALICE, 0), self.entry(BOB, 1, preamble=pre)
        ours = self.slot(0, 1, alices)
        yield ours + self.slot(1, 2, bobs, preamble=pre) + payload, {ALICE: WRONG_KEY, BOB: WRONG_KEY}
        yield self.slot(0, 2, alices) + self.slot(1, 1, bobs, preamble=pre) + payload, {ALICE: FORMAT, BOB: WRONG_KEY}
        yield ours + self.slot(1, 1, bobs, preamble=pre) + payload, {ALICE: FORMAT, BOB: FORMAT}
        both = self.slot(0, 1, alices, bobs)
        yield both + both + payload, {ALICE: OPENS, BOB: WRONG_KEY}
        both = self.slot(1, 1, alices, bobs, preamble=pre)
        yield both + both + payload, {ALICE: WRONG_KEY, BOB: WRONG_KEY}

    def a_slot_of_another_file(self):
        ours, theirs = self.slot(0, 1, self.entry(ALICE, 0)), self.slot(1, 1, self.entry(ALICE, 1))
        yield ours + theirs + self.whole, {ALICE: FORMAT}
        yield theirs + ours + self.whole, {ALICE: FORMAT}

    def a_second_preamble_of_one_key(self):
        """Both slots are authentic; in one the content is bytes, in the other a directory."""
        other = fmt.preamble(self.g, self.keys[0], 12, 1)
        bytes_ = self.slot(0, 1, self.entry(ALICE, 0))
        directory = self.slot(0, 2, self.entry(ALICE, 0, preamble=other), preamble=other)
        payload = fmt.payload(self.g, other, self.keys[0], self.texts[0])
        yield bytes_ + directory + payload, {ALICE: FORMAT}
        yield directory + bytes_ + payload, {ALICE: FORMAT}

    def a_slot_of_another_version(self):
        """Which a later reader may accept, and this one would ignore."""
        shown = self.slot(0, 1, self.entry(ALICE, 0))
        later = fmt.with_digest(self.g, shown[:9] + b"\3" + shown[10:])
        yield shown + later + self.whole, {ALICE: FORMAT}
        yield later + shown + self.whole, {ALICE: FORMAT}

    def hidden_recipient(self):
        alices, mallorys = self.entry(ALICE, 0), self.entry(MALLORY, 0)
        shown, hidden = self.slot(0, 1, alices), self.slot(0, 1, mallorys)
        yield shown + hidden + self.whole, {ALICE: FORMAT, MALLORY: FORMAT}
        yield self.slot(0, 2, alices) + hidden + self.whole, {ALICE: OPENS, MALLORY: WRONG_KEY}
        behind = self.slot(0, 1, alices + mallorys)  # one is counted
        yield behind + behind + self.whole, {ALICE: VERSION, MALLORY: VERSION}
        planted = bytes(512) + shown + hidden  # slot 0 is damaged: the first place at which one lies is the only one
        longer = fmt.slot(self.g, self.preambles[0], self.keys[0], 9, [mallorys], 2048)
        yield planted.ljust(2048, b"\0") + longer + self.whole, {ALICE: CHUNK, MALLORY: WRONG_KEY}

    def rollback_by_a_slot(self):
        old, new = self.slot(0, 1, self.entry(ALICE, 0), self.entry(BOB, 0)), self.slot(0, 2, self.entry(BOB, 0))
        yield old + new + self.whole, {ALICE: WRONG_KEY, BOB: OPENS}
        yield new + old + self.whole, {ALICE: WRONG_KEY, BOB: OPENS}

    def one_wrap_for_two_passphrases(self):
        """As a wrap by MGM would allow, under the two keys that a reader would derive."""
        head = self.entry(ALICE, 0)[:112]
        masks = [fmt.wrap_keys(self.g, self.preambles[0], head, who[1])[0] for who in (ALICE, BOB)]
        wrap = chunk_for_both(self.g, masks, bytes(16), [self.preambles[0] + head] * 2, (b"", b""))
        slot = self.slot(0, 1, head + wrap + bytes(16))
        yield slot + slot + self.whole, {ALICE: WRONG_KEY, BOB: WRONG_KEY}

    def every_byte_of_a_wrap(self):
        """The tag's bytes, too, in a slot that is authentic: all of it commits to the secret."""
        alices = self.entry(ALICE, 0)
        for i in range(112, 176):
            slot = self.slot(0, 1, alices[:i] + bytes([alices[i] ^ 1 << i % 8]) + alices[i + 1:])
            yield slot + slot + self.whole, {ALICE: WRONG_KEY}

    def a_recipient_before_the_right_one(self):
        """One with the same passphrase and another file key, under which the slot is not authentic."""
        forged, right = self.entry(ALICE, 1, preamble=self.preambles[0]), self.entry(ALICE, 0)
        slot = self.slot(0, 1, forged, right)
        yield slot + slot + self.whole, {ALICE: OPENS}

    def a_recipient_of_another_file(self):
        slot = self.slot(0, 1, self.entry(ALICE, 1), self.entry(BOB, 0))
        yield slot + slot + self.whole, {ALICE: WRONG_KEY, BOB: OPENS}


ATTACKS = (Attacks.salamander_in_two_slots, Attacks.salamander_under_one_preamble, Attacks.a_slot_of_another_file,
           Attacks.a_second_preamble_of_one_key, Attacks.a_slot_of_another_version, Attacks.hidden_recipient,
           Attacks.rollback_by_a_slot, Attacks.one_wrap_for_two_passphrases, Attacks.every_byte_of_a_wrap,
           Attacks.a_recipient_before_the_right_one, Attacks.a_recipient_of_another_file)


def by_library(library, file, kind, secret):
    try:
        library.open(file, kind, secret, 1 << 20)
        return OPENS
    except Status as refused:
        return refused.args[0]


def by_document(g, file, kind, secret):
    try:
        fmt.open_chunks(g, file, kind, secret)
        return True
    except fmt.Refused:
        return False


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    try:
        g = primitives.Gost(primitives.Engine())
    except primitives.Missing as missing:
        print(f"skipped: {missing}")
        return 77
    library, attacks, num = Library(sys.argv[1]), Attacks(g), 0
    for attack in ATTACKS:
        for file, expected in attack(attacks):
            for who, status in expected.items():
                got = by_library(library, file, *who[:2])
                assert got == status, (attack.__name__, who, got, status)
                assert by_document(g, file, *who[:2]) == (status == OPENS), (attack.__name__, who, "by the document")
                num += 1
        print(f"{attack.__name__}: as clause 5 says")
    print(f"{num} openings of forged files ended as clause 5 says")
    return 0


if __name__ == "__main__":
    sys.exit(main())
