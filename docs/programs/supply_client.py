"""A client of the Supply Ordering Service in one file. Python 3.8 or newer, no other package.

    client = SupplyClient("https://supply.example", os.environ["API_KEY"])
    order = client.place_order({
        "externalOrderId": "shop-1001",  # stored with the purchase, before this line
        "items": [{"productId": 101, "deliveryData": {"gameUserId": "123456789"}}],
    })
    for order in client.orders(status="processing"):
        print(order["code"], order["totalAmount"])

Results are the "data" of the service's responses, with amounts as Decimal. Query parameters have
the names of the reference; write from_ for "from". No error contains the API key.
"""

import hashlib
import hmac
import http.client
import json
import random
import re
import time
import urllib.request
import uuid
from decimal import Decimal
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Union
from urllib.parse import quote, urlencode, urlsplit

Json = Dict[str, Any]


class SupplyError(Exception):
    """The base of all errors of this client. Name request_id when you ask the operators."""

    request_id = ""
    again = False  # whether a repeat may succeed
    undone = False  # whether the service certainly did nothing
    retry_after = 0.0


class RefusedError(SupplyError):
    """The service refused the request. A refused order was not placed and not charged."""

    def __init__(self, status: int, code: str, body: Json):
        details = body.get("details") or []
        if isinstance(details, dict):
            parts = [f"{name} {value}" for name, value in details.items()]
        else:
            parts = [f"{detail['path']} {detail['message']}".strip() for detail in details]
        text = f" ({'; '.join(parts)})" if parts else ""
        super().__init__(f"{status} {code}: {body['error']}{text}")
        self.status, self.code, self.body = status, code, body
        self.undone = True


class NoAnswerError(SupplyError):
    """The service gave no usable response in time. The message names its address and the cause."""


class UnknownOutcomeError(NoAnswerError):
    """It is unknown whether the order was placed.

    Place the same order again later, with the same key. With another key it could be bought twice.
    """

    def __init__(self, external_order_id: str, idempotency_key: str, cause: SupplyError):
        super().__init__(f"it is unknown whether order {external_order_id!r} was placed ({cause})")
        self.external_order_id, self.idempotency_key = external_order_id, idempotency_key
        self.request_id = cause.request_id


class _AnyStatus(urllib.request.HTTPErrorProcessor):
    # Also returns redirects as they are: following one would carry the key to another server.
    def http_response(self, request, response):
        return response

    https_response = http_response


class SupplyClient:
    """A partner's client of the service.

    It repeats what may succeed later, until give_up_after seconds have passed since the first
    request. on_retry(attempt, delay, error) is called before each wait for a repeat. timeout is
    how many seconds one request may wait for the network.
    """

    def __init__(
        self,
        base_url: str,
        api_key: str,
        timeout: float = 15,
        give_up_after: float = 90,
        on_retry: Optional[Callable[[int, float, SupplyError], None]] = None,
    ):
        if not base_url:
            raise ValueError("SupplyClient needs a base_url, such as https://supply.example")
        if not api_key:
            raise ValueError("SupplyClient needs an api_key: the operators issue it")
        address = urlsplit(base_url)
        if address.scheme not in ("http", "https") or not address.hostname:
            raise ValueError("the base_url is not an http or https address")
        if "@" in address.netloc or address.query or address.fragment:
            raise ValueError("the base_url has credentials, a query or a fragment")
        if not re.fullmatch(r"[\x21-\x7e]{1,200}", api_key.strip()):
            raise ValueError("the api_key has characters that no key has")
        self._base_url, self._api_key = base_url.rstrip("/"), api_key.strip()
        self._timeout, self._give_up_after, self._on_retry = timeout, give_up_after, on_retry
        self._opener = urllib.request.build_opener(_AnyStatus)

    def me(self) -> Json:
        """The account, the key, the rate limit, and the address that the service sees."""
        return self._get("/b2b/me")

    def games(self, **query) -> List[Json]:
        """The games of the catalog."""
        return self._get("/b2b/catalog/games", query)

    def products(self, slug: str, **query) -> List[Json]:
        """The products of a game, by its slug."""
        return self._get(f"/b2b/catalog/games/{_segment(slug)}/products", query)

    def catalog(self, **query) -> Iterator[Json]:
        """The products of all games. With updatedSince: those that changed since then."""
        return self._items("/b2b/catalog/products", "products", {"limit": 1000, **query})

    def product(self, product_id: int) -> Json:
        """One product."""
        return self._get(f"/b2b/catalog/products/{_segment(product_id)}")

    def quote(self, order: Json) -> Json:
        """What an order would cost now, and how it would be refused. Nothing is placed."""
        return self._post("/b2b/orders/quote", order, self._give_up_after)

    def place_order(self, order: Json, idempotency_key: Optional[str] = None) -> Json:
        """Places an order once.

        Every repeat sends the same bytes under the same idempotency key: the externalOrderId
        unless you give another. Store the key before you call. Raises RefusedError if nothing
        was placed or charged, and UnknownOutcomeError if that is unknown after all repeats.
        """
        return self._place("/b2b/orders", order, idempotency_key, has_look_up=True)

    def order(self, code: str) -> Json:
        """An order as it is now, with its delivered keys."""
        return self._get(f"/b2b/orders/{_segment(code)}")

    def cancel(self, code: str) -> Json:
        """Cancels the items that no supplier can have yet, and returns the order."""
        return self._post(f"/b2b/orders/{_segment(code)}/cancel", {})

    def timeline(self, code: str) -> Json:
        """The history of an order, oldest first."""
        return self._get(f"/b2b/orders/{_segment(code)}/timeline")

    def orders(self, **query) -> Iterator[Json]:
        """The orders, newest first, without their keys."""
        return self._items("/b2b/orders", "orders", {"limit": 100, **query})

    def results(self, after: int = 0, limit: int = 100, wait: int = 30) -> Iterator[Json]:
        """The orders that became final, each once, in the order of seq.

        Store the seq of the last one with your own changes, and pass it as after when you start
        again. It waits for new results without an end; with wait=0 it ends after the last one.
        """
        while True:
            query = {"after": after, "limit": limit, "wait": wait}
            page = self._get("/b2b/results", query, self._timeout + wait)
            yield from page["results"]
            after = page["nextAfter"]
            if wait == 0 and not page["hasMore"]:
                return
            if not page["results"]:
                time.sleep(1)

    def events(self, **query) -> Iterator[Json]:
        """The events about your orders, newest first."""
        return self._items("/b2b/events", "events", {"limit": 100, **query})

    def event(self, event_id: str) -> Json:
        """One event, with the state of its delivery."""
        return self._get(f"/b2b/events/{_segment(event_id)}")

    def redeliver(self, event_id: str, callback_url: Optional[str] = None) -> Json:
        """Sends a final event again, at most once a minute, to callback_url if given."""
        body = {} if callback_url is None else {"callbackUrl": callback_url}
        return self._post(f"/b2b/events/{_segment(event_id)}/redeliver", body)

    def redeliver_dead(self, since: str, dry_run: bool = False) -> Json:
        """Sends all events again that died since a moment; dry_run only counts them."""
        body = {"state": "dead", "since": since, "dryRun": dry_run}
        return self._post("/b2b/events/redeliver", body)

    def balance(self) -> Json:
        """The balance."""
        return self._get("/b2b/balance")

    def transactions(self, **query) -> Iterator[Json]:
        """The transactions of the balance, newest first."""
        query = {"limit": 100, **query}
        return self._items("/b2b/balance/transactions", "transactions", query)

    def simulate_order(self, order: Json, idempotency_key: Optional[str] = None) -> Json:
        """Places a simulated order, which costs nothing. Only for accounts in test mode."""
        return self._place("/simulation/orders", order, idempotency_key, has_look_up=False)

    def simulated_order(self, code: str) -> Json:
        """A simulated order as it is now."""
        return self._get(f"/simulation/orders/{_segment(code)}")

    def simulate_webhook(self, event: Json) -> Json:
        """Sends a sample event. Only for accounts in test mode."""
        return self._post("/simulation/webhooks", event)

    def simulated_webhook(self, event_id: str) -> Json:
        """A sample event, with its attempts."""
        return self._get(f"/simulation/webhooks/{_segment(event_id)}")

    def _get(self, path: str, query: Optional[Json] = None, timeout: Optional[float] = None):
        given = {name.rstrip("_"): value for name, value in (query or {}).items()}
        parameters = urlencode({name: value for name, value in given.items() if value is not None})
        address = f"{path}?{parameters}" if parameters else path
        headers = {"X-Request-Id": str(uuid.uuid4())}
        return self._repeat(
            lambda: self._send("GET", address, None, headers, timeout), self._give_up_after
        )

    def _post(self, path: str, body: Json, give_up_after: float = 0):
        data, headers = _encode(body), {"X-Request-Id": str(uuid.uuid4())}
        return self._repeat(lambda: self._send("POST", path, data, headers), give_up_after)

    def _items(self, path: str, name: str, query: Json) -> Iterator[Json]:
        cursor = None
        while True:
            page = self._get(path, {**query, "cursor": cursor})
            yield from page[name]
            cursor = page["pagination"]["nextCursor"]
            if cursor is None:
                return

    def _place(self, path: str, order: Json, key: Optional[str], has_look_up: bool) -> Json:
        reference = order.get("externalOrderId")
        if not isinstance(reference, str) or not reference:
            raise ValueError("an order needs an externalOrderId")
        key = reference if key is None else key
        data, headers = _encode(order), {"X-Request-Id": str(uuid.uuid4())}
        if re.fullmatch(r"[\x20-\x7e]{1,255}", key) and key.strip() == key:
            headers["X-Idempotency-Key"] = key
        elif key != reference:  # a reference that no header can hold is the key without one
            raise ValueError("an idempotency_key is 1 to 255 printable ASCII characters")
        uncertain = False  # whether a request may have placed the order

        def send():
            nonlocal uncertain
            was_uncertain, uncertain = uncertain, True
            try:
                return self._send("POST", path, data, headers)
            except SupplyError as error:
                status = error.status if isinstance(error, RefusedError) else 0
                is_decided = status in (400, 402, 409, 422)
                uncertain = not is_decided and (was_uncertain or not error.undone)
                raise

        try:
            return self._repeat(send, self._give_up_after)
        except SupplyError as cause:
            if not uncertain:
                raise
            found = self._look_up(order) if has_look_up and key == reference else None
            if found is not None:
                return found
            raise UnknownOutcomeError(reference, key, cause) from cause

    def _look_up(self, order: Json) -> Optional[Json]:
        """The order of this reference, if there is exactly one and it asks for the same."""
        headers = {"X-Request-Id": str(uuid.uuid4())}
        query = urlencode({"externalOrderId": order["externalOrderId"], "limit": 2})
        try:
            orders = self._send("GET", f"/b2b/orders?{query}", None, headers)["orders"]
            if len(orders) != 1 or not _asks_for_the_same(orders[0], order):
                return None
            return self._send("GET", f"/b2b/orders/{_segment(orders[0]['code'])}", None, headers)
        except SupplyError:
            return None

    def _repeat(self, send: Callable[[], Any], give_up_after: float):
        """Repeats after growing random delays, never shorter than Retry-After."""
        deadline = time.monotonic() + give_up_after
        attempt = 1
        while True:
            try:
                return send()
            except SupplyError as error:
                backoff = min(0.25 * 2 ** min(attempt - 1, 10), 10)
                delay = max(backoff / 2, error.retry_after) + backoff / 2 * random.random()
                if not error.again or time.monotonic() + delay > deadline:
                    raise
                if self._on_retry is not None:
                    self._on_retry(attempt, delay, error)
            time.sleep(delay)
            attempt += 1

    def _send(self, method: str, path: str, data, headers: Json, timeout: Optional[float] = None):
        """Sends a request once and returns the data of its response."""
        headers = {"Accept": "application/json", "X-Api-Key": self._api_key, **headers}
        if data is not None:
            headers["Content-Type"] = "application/json"
        request = urllib.request.Request(self._base_url + path, data, headers, method=method)
        try:
            seconds = self._timeout if timeout is None else timeout
            with self._opener.open(request, timeout=seconds) as response:
                status, received, text = response.status, response.headers, response.read()
        except (OSError, http.client.HTTPException) as cause:
            error: SupplyError = NoAnswerError(f"{self._base_url}: {cause or repr(cause)}")
            error.again, error.request_id = True, headers["X-Request-Id"]
            raise error from cause
        body = _parse(text)
        if 200 <= status < 300 and body.get("success") is True and "data" in body:
            return body["data"]
        error = self._error_of(status, body)
        error.again = status >= 500 or status in (408, 425, 429)
        wait = received.get("Retry-After") or ""
        error.retry_after = int(wait) if re.fullmatch("[0-9]{1,9}", wait) else 0
        error.request_id = headers["X-Request-Id"]
        raise error

    def _error_of(self, status: int, body: Json) -> SupplyError:
        code = body.get("code") or {401: "UNAUTHORIZED", 403: "FORBIDDEN"}.get(status)
        is_ours = body.get("success") is False or status in (401, 403)
        if 400 <= status < 500 and is_ours and code and isinstance(body.get("error"), str):
            return RefusedError(status, code, body)
        reason = "not a response of this service"
        if status >= 500:
            reason = body.get("error", "no reason given")
        return NoAnswerError(f"{self._base_url}: HTTP {status}, {reason}")


class Verdict(NamedTuple):
    """ok: the webhook is authentic and fresh. Otherwise answer with status, and log reason.

    event is None if this version does not know its type: answer 2xx and do nothing.
    """

    ok: bool
    status: int
    reason: str
    event_id: str = ""
    event_type: str = ""
    event: Optional[Json] = None


def verify_webhook(
    secret: str,
    headers,
    raw_body: bytes,
    now: Optional[float] = None,
    tolerance: int = 300,
) -> Verdict:
    """Verifies a webhook over its raw body, before any parser.

    headers is a mapping, or anything else with items(). Events arrive at least once: store
    event_id under a unique constraint, in the transaction of what the event changes.
    """
    if not re.fullmatch("[0-9a-fA-F]{64}", secret):
        raise ValueError("the secret is not 64 hexadecimal characters")
    received: Dict[str, List[str]] = {}
    for name, value in headers.items():
        received.setdefault(name.lower(), []).append(value)
    # A header that was sent twice counts as absent.
    values = {name: found[0] for name, found in received.items() if len(found) == 1}
    signature = values.get("x-webhook-signature")
    timestamp = values.get("x-webhook-timestamp", "")
    if signature is None:
        return Verdict(False, 401, "no X-Webhook-Signature")
    if not re.fullmatch("[0-9]{1,12}", timestamp):
        return Verdict(False, 401, "no X-Webhook-Timestamp, or not a Unix time")
    digest = hmac.new(secret.encode(), timestamp.encode() + b"." + raw_body, hashlib.sha256)
    expected = f"sha256={digest.hexdigest()}"
    if not hmac.compare_digest(expected.encode(), signature.encode("utf-8", "replace")):
        return Verdict(False, 401, "wrong signature")
    age = int(time.time() if now is None else now) - int(timestamp)
    if abs(age) > tolerance:
        return Verdict(False, 401, f"stale: signed {abs(age)} s {'ago' if age > 0 else 'ahead'}")
    event = _parse(raw_body)
    event_id, event_type = event.get("event_id"), event.get("event_type")
    if not isinstance(event_id, str) or not isinstance(event_type, str):
        return Verdict(False, 400, "the body is not an event")
    if values.get("x-idempotency-key") != event_id:
        return Verdict(False, 400, "X-Idempotency-Key is not the event_id")
    is_known = event_type in ("order.completed", "order.failed")
    return Verdict(True, 200, "", event_id, event_type, event if is_known else None)


def _segment(value: Union[str, int]) -> str:
    """A part of a path. Empty or only dots, it would lead to another address."""
    if str(value) in ("", ".", ".."):
        raise ValueError("an id, code or slug is empty, or only dots")
    return quote(str(value), safe="")


def _encode(body: Json) -> bytes:
    return json.dumps(body, default=float).encode()  # float: for Decimal


def _parse(text: bytes) -> Json:
    try:
        value = json.loads(text, parse_float=Decimal)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _asks_for_the_same(found: Json, order: Json) -> bool:
    placed: Dict[int, int] = {}
    wanted: Dict[int, int] = {}
    for item in found["items"]:
        placed[item["productId"]] = placed.get(item["productId"], 0) + item["amount"]
    for item in order["items"]:
        quantity = item.get("quantity") or 1
        wanted[item["productId"]] = wanted.get(item["productId"], 0) + quantity
    return placed == wanted and found["callbackUrl"] == order.get("callbackUrl")
