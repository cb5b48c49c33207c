"""How the integration tests say that two things differ."""


class Mismatch(Exception):
    pass


def equal(what, found, wanted):
    if found != wanted:
        raise Mismatch(f"{what}: {found!r} should be {wanted!r}")
