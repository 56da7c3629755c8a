"""Verifies webhook signatures, with Python 3.8 or newer.

To test it: python3 verify.py vectors.tsv
"""

import hashlib
import hmac
import re
import time
from typing import Optional


def verify(
    secret: str,
    timestamp_header: Optional[str],
    signature_header: Optional[str],
    raw_body: bytes,
    now: Optional[int] = None,
) -> bool:
    """Tells whether a webhook is authentic and fresh.

    raw_body is the body's bytes as they came, before any parser touched them; a header that is
    absent is None; now is the Unix time in seconds. Never raises for what the sender sent.
    """
    if timestamp_header is None or signature_header is None:
        return False
    if re.fullmatch("[0-9]{1,12}", timestamp_header) is None:
        return False
    if now is None:
        now = int(time.time())
    if abs(now - int(timestamp_header)) > 300:
        return False
    signing_input = timestamp_header.encode() + b"." + raw_body
    expected = "sha256=" + hmac.new(secret.encode(), signing_input, hashlib.sha256).hexdigest()
    # As bytes: compare_digest raises for text outside ASCII.
    return hmac.compare_digest(expected.encode(), signature_header.encode("utf-8", "replace"))


def main(path: str) -> int:
    import base64
    import sys

    with open(path, encoding="utf-8", newline="\n") as file:
        lines = file.read().split("\n")
    vectors = [line for line in lines if line and not line.startswith("#")]
    wrong = 0
    for vector in vectors:
        name, expected, now, secret, timestamp, signature, body = vector.split("\t")
        raw_body = base64.b64decode(body, validate=True)
        valid = verify(secret, timestamp or None, signature or None, raw_body, int(now))
        if valid != (expected == "valid"):
            verdict = "accepted" if valid else "rejected"
            print(f"{name}: {verdict}, but it is {expected}", file=sys.stderr)
            wrong += 1
    print(f"{len(vectors)} vectors, {wrong} wrong")
    return 0 if vectors and wrong == 0 else 1


if __name__ == "__main__":
    import sys

    sys.exit(main(sys.argv[1]) if len(sys.argv) == 2 else "usage: python3 verify.py vectors.tsv")
