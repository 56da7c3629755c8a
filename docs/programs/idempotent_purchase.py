"""Orders a purchase once, wherever this program is killed. Needs Python 3.8 and nothing else.

python3 idempotent_purchase.py shop-1001 123456789   records a purchase, and orders what is open
python3 idempotent_purchase.py                       orders what is open, as after a crash
"""
import http.client
import json
import os
import sqlite3
import sys
import time
import urllib.error
import urllib.request

BASE_URL = os.environ.get("BASE_URL", "http://127.0.0.1:3000")
API_KEY = os.environ.get("API_KEY", "")

os.umask(0o077)  # an answer can hold keys of games
db = sqlite3.connect(os.environ.get("DATABASE", "shop.db"), timeout=10)
db.executescript("""
  create table if not exists purchases (reference text primary key, player text not null);
  create table if not exists supply_orders (
    reference text primary key references purchases, -- the idempotency key
    request text not null, -- the body, sent byte for byte each time
    status int, -- null until the outcome is known
    answer text)""")


def record_purchase(reference, player):
    """Step 1: the purchase, its key and its request come in one transaction."""
    items = [{"productId": 101, "quantity": 1, "deliveryData": {"gameUserId": player}}]
    request = json.dumps({"externalOrderId": reference, "items": items})
    with db:
        db.execute("insert or ignore into purchases values (?, ?)", (reference, player))
        insert = "insert or ignore into supply_orders (reference, request) values (?, ?)"
        db.execute(insert, (reference, request))


def place_order(reference, request):
    """Step 2: the same request again, until the outcome is known. Step 3: record it."""
    seconds = 1
    while True:
        status, retry_after, body = post(reference, request)
        is_ordered = status in (200, 201) and body.get("success") is True
        is_refused = status in (400, 409, 422) and "code" in body
        if is_ordered or is_refused:
            update = "update supply_orders set status = ?, answer = ? where reference = ?"
            with db:
                db.execute(update, (status, json.dumps(body), reference))
            code = body["data"]["code"] if is_ordered else body["code"]
            return print(f"{reference}: {'ordered as' if is_ordered else 'refused,'} {code}")
        # A repeat does not fix the API key. The purchase stays open.
        if status in (401, 403):
            sys.exit(json.dumps(body))
        # 402, 408, 429, 5xx, a response of another program, or none: the purchase stays open.
        trouble = f"{status} {body.get('code')}" if status else "no answer"
        print(f"{reference}: {trouble}, again", file=sys.stderr)
        time.sleep(min(max(retry_after, seconds), 3600))
        seconds = min(2 * seconds, 60)


class NoRedirects(urllib.request.HTTPRedirectHandler):
    # A redirect would carry the key to another server.
    def redirect_request(self, *args):
        return None


opener = urllib.request.build_opener(NoRedirects)


def post(key, request):
    """The response. Status 0: none or only a part, so the outcome is unknown."""
    headers = {"X-Api-Key": API_KEY, "X-Idempotency-Key": key, "Content-Type": "application/json"}
    call = urllib.request.Request(f"{BASE_URL}/b2b/orders", request.encode(), headers)
    try:
        try:
            response = opener.open(call, timeout=30)
        except urllib.error.HTTPError as refusal:
            response = refusal
        with response:
            retry_after = response.headers.get("Retry-After", "")
            seconds = int(retry_after) if retry_after.isdigit() else 0
            body = json.load(response)
            return response.getcode(), seconds, body if isinstance(body, dict) else {}
    except (OSError, ValueError, http.client.HTTPException):
        return 0, 0, {}


if len(sys.argv) == 3:
    record_purchase(sys.argv[1], sys.argv[2])
open_orders = "select reference, request from supply_orders where status is null"
for reference, request in db.execute(open_orders).fetchall():
    place_order(reference, request)
