"""Places an order and waits for its result: python3 first_order.py shop-1001 [product id]

Needs Python 3.8 or newer, and BASE_URL and API_KEY in the environment; CALLBACK_URL is
optional. The argument is your own purchase number: with the same number, the program finds the
same order. Exits with 0 if the order is completed, 2 for wrong arguments, otherwise 1.
"""

import http.client
import json
import os
import random
import sys
import time
import urllib.request
from decimal import Decimal


class Refused(Exception):
    """An answer that a repeat would not change."""


class AnyStatus(urllib.request.HTTPErrorProcessor):
    """Returns every response as it is, redirects too: one would carry the key to another server."""

    def http_response(self, request, response):
        return response

    https_response = http_response


http_client = urllib.request.build_opener(AnyStatus)


def send(method, path, body=None):
    """Sends a request, and the very same one again while its outcome is unknown."""
    data = None if body is None else json.dumps(body).encode()
    headers = {"X-Api-Key": os.environ["API_KEY"], "Content-Type": "application/json"}
    for attempt in range(8):
        pause = min(0.5 * 2**attempt, 30) + random.random() / 2
        try:
            url = os.environ["BASE_URL"] + path
            request = urllib.request.Request(url, data, headers, method=method)
            with http_client.open(request, timeout=30) as response:
                text = response.read().decode()
            if 200 <= response.status < 300:
                return json.loads(text, parse_float=Decimal)["data"]
            request_id = response.headers["X-Request-Id"]
            problem = f"HTTP {response.status}, request {request_id}: {text}"
            if response.status < 500 and response.status not in (408, 429):
                raise Refused(problem)
            retry_after = response.headers.get("Retry-After", "")
            pause = max(pause, min(int(retry_after) if retry_after.isdecimal() else 0, 60))
        except (OSError, http.client.HTTPException, ValueError) as error:
            problem = f"no answer: {error!r}"
        print(f"{problem}; again in {pause:.1f} s", file=sys.stderr)
        time.sleep(pause)
    raise TimeoutError(f"gave up, outcome unknown: run the same command again ({problem})")


def main(external_order_id, product_id):
    delivery_data = {"gameUserId": "123456789"}
    item = {"productId": product_id, "quantity": 1, "deliveryData": delivery_data}
    request = {"externalOrderId": external_order_id, "items": [item]}
    if os.environ.get("CALLBACK_URL"):
        request["callbackUrl"] = os.environ["CALLBACK_URL"]
    order = send("POST", "/b2b/orders", request)
    print(f"placed {order['code']} for {order['totalAmount']} {order['currency']}")

    for reads in range(25):
        if order["status"] in ("completed", "failed"):
            break
        time.sleep(min(0.5 * 2**reads, 30))
        order = send("GET", f"/b2b/orders/{order['code']}")
    print(f"{order['status']} {order['code']}")
    for item in order["items"]:
        error = f" ({item['errorCode']})" if item["errorCode"] else ""
        print(f"  {item['amount']} x {item['productName']}: {item['status']}{error}")
        for key in item.get("cdKeys", []):
            print("    " + " ".join(key.values()))
    return 0 if order["status"] == "completed" else 1


if __name__ == "__main__":
    is_set = os.environ.get("BASE_URL") and os.environ.get("API_KEY")
    if not is_set or len(sys.argv) not in (2, 3):
        usage = "usage: set BASE_URL and API_KEY, then: python3 first_order.py shop-1001 [product]"
        print(usage, file=sys.stderr)
        sys.exit(2)
    try:
        sys.exit(main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) == 3 else 101))
    except Refused as refusal:
        sys.exit(f"refused: {refusal}")
    except TimeoutError as error:
        sys.exit(str(error))
