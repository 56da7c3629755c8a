// Places an order and waits for its result: java FirstOrder.java shop-1001 [product id]
// Needs Java 17 or newer, and BASE_URL and API_KEY in the environment; CALLBACK_URL is optional.
// The argument is your own purchase number: with the same number, the program finds the same order.
// Exits with 0 if the order is completed, 2 for wrong arguments, otherwise 1.

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.PrintStream;
import java.math.BigDecimal;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

class FirstOrder {
    /** Ends the program: an answer that a repeat would not change, or no answer for too long. */
    static final class GivenUp extends Exception {
        private static final long serialVersionUID = 1;

        GivenUp(String message) {
            super(message);
        }
    }

    // Follows no redirect: it would carry the key to another server.
    private static final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    /** Sends a request, and the very same one again while its outcome is unknown. */
    static Map<?, ?> send(String method, String path, String body)
            throws GivenUp, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(System.getenv("BASE_URL") + path))
                .header("X-Api-Key", System.getenv("API_KEY"))
                .header("Content-Type", "application/json")
                .method(method, BodyPublishers.ofString(body))
                .build();
        String problem = "";
        for (int attempt = 0; attempt < 8; attempt++) {
            double jitter = ThreadLocalRandom.current().nextDouble(0.5);
            double pause = Math.min(0.5 * (1 << attempt), 30) + jitter;
            try {
                // For the whole answer: a time-out of the HttpRequest ends with the headers.
                HttpResponse<String> response = client.sendAsync(request, BodyHandlers.ofString())
                        .get(30, TimeUnit.SECONDS);
                int status = response.statusCode();
                if (status < 300) return (Map<?, ?>) Json.object(response.body()).get("data");
                String requestId = response.headers().firstValue("X-Request-Id").orElse("");
                problem = "HTTP " + status + ", request " + requestId + ": " + response.body();
                boolean isRefused = status < 500 && status != 408 && status != 429;
                if (isRefused) throw new GivenUp("refused: " + problem);
                String retryAfter = response.headers().firstValue("Retry-After").orElse("");
                if (!retryAfter.matches("[0-9]{1,9}")) retryAfter = "0";
                pause = Math.max(pause, Math.min(Integer.parseInt(retryAfter), 60));
            } catch (ExecutionException | TimeoutException | IllegalArgumentException e) {
                problem = "no answer: " + e;
            }
            System.err.printf("%s; again in %.1f s%n", problem, pause);
            Thread.sleep((long) (pause * 1000));
        }
        throw new GivenUp("gave up, outcome unknown: run the same command again; " + problem);
    }

    static boolean run(String externalOrderId, int productId)
            throws GivenUp, InterruptedException {
        String callbackUrl = System.getenv().getOrDefault("CALLBACK_URL", "");
        String request = """
                {"externalOrderId": %s, "callbackUrl": %s, "items": [
                  {"productId": %d, "quantity": 1, "deliveryData": {"gameUserId": "123456789"}}
                ]}"""
                .formatted(
                        Json.quote(externalOrderId),
                        callbackUrl.isEmpty() ? "null" : Json.quote(callbackUrl),
                        productId);
        Map<?, ?> order = send("POST", "/b2b/orders", request);
        Object price = order.get("totalAmount") + " " + order.get("currency");
        System.out.println("placed " + order.get("code") + " for " + price);

        List<String> ends = List.of("completed", "failed");
        for (int reads = 0; reads < 25 && !ends.contains(order.get("status")); reads++) {
            Thread.sleep(Math.min(500L << reads, 30_000));
            order = send("GET", "/b2b/orders/" + order.get("code"), "");
        }
        System.out.println(order.get("status") + " " + order.get("code"));
        for (Object each : (List<?>) order.get("items")) {
            Map<?, ?> item = (Map<?, ?>) each;
            Object errorCode = item.get("errorCode");
            String error = errorCode == null ? "" : " (" + errorCode + ")";
            String what = item.get("amount") + " x " + item.get("productName");
            System.out.println("  " + what + ": " + item.get("status") + error);
            if (item.get("cdKeys") instanceof List<?> keys) {
                for (Object key : keys) {
                    System.out.println("    " + ((Map<?, ?>) key).get("code"));
                }
            }
        }
        return "completed".equals(order.get("status"));
    }

    public static void main(String[] args) throws InterruptedException {
        // Names are not all in ASCII.
        System.setOut(new PrintStream(System.out, true, UTF_8));
        System.setErr(new PrintStream(System.err, true, UTF_8));
        boolean isReady = System.getenv("BASE_URL") != null && System.getenv("API_KEY") != null;
        if (!isReady || args.length < 1 || args.length > 2) {
            System.err.println(
                    "usage: set BASE_URL and API_KEY, then: java FirstOrder.java shop-1 [product]");
            System.exit(2);
        }
        try {
            System.exit(run(args[0], args.length == 2 ? Integer.parseInt(args[1]) : 101) ? 0 : 1);
        } catch (GivenUp e) {
            System.err.println(e.getMessage());
            System.exit(1);
        }
    }
}

/**
 * JSON as Map, List, String, BigDecimal, Boolean and null. The JDK has no reader: if you have a
 * library, use that.
 */
final class Json {
    private final String text;
    private int at = 0;

    private Json(String text) {
        this.text = text;
    }

    /** Throws IllegalArgumentException for what is no object, or only a part of one. */
    static Map<?, ?> object(String text) {
        try {
            Json json = new Json(text);
            if (json.value() instanceof Map<?, ?> object && json.peek() == 0) return object;
        } catch (StringIndexOutOfBoundsException e) {
            throw new IllegalArgumentException("the JSON breaks off", e);
        }
        throw new IllegalArgumentException("this is no JSON object");
    }

    static String quote(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (char c : text.toCharArray()) {
            boolean isPlain = c >= ' ' && c != '"' && c != '\\';
            quoted.append(isPlain ? String.valueOf(c) : String.format("\\u%04x", (int) c));
        }
        return quoted.append('"').toString();
    }

    private Object value() {
        char first = peek();
        if (first == '"') return string();
        if (first == '[') {
            List<Object> list = new ArrayList<>();
            for (at++; peek() != ']'; skip(',')) list.add(value());
            at++;
            return list;
        }
        if (first == '{') {
            Map<String, Object> map = new LinkedHashMap<>();
            for (at++; peek() == '"'; skip(',')) {
                String name = string();
                if (!skip(':')) throw new IllegalArgumentException("no colon at " + at);
                map.put(name, value());
            }
            if (!skip('}')) throw new IllegalArgumentException("no end of an object at " + at);
            return map;
        }
        int start = at;
        while (at < text.length() && ",:]} \t\r\n".indexOf(text.charAt(at)) < 0) at++;
        String word = text.substring(start, at);
        if (word.equals("null")) return null;
        if (word.equals("true") || word.equals("false")) return word.equals("true");
        return new BigDecimal(word); // as written: never a float for money
    }

    private String string() {
        StringBuilder string = new StringBuilder();
        for (at++; text.charAt(at) != '"'; at++) {
            if (text.charAt(at) != '\\') {
                string.append(text.charAt(at));
                continue;
            }
            char escaped = text.charAt(++at);
            if (escaped == 'u') {
                string.append((char) Integer.parseInt(text.substring(at + 1, at + 5), 16));
                at += 4;
            } else {
                int known = "bfnrt".indexOf(escaped);
                string.append(known < 0 ? escaped : "\b\f\n\r\t".charAt(known));
            }
        }
        at++;
        return string.toString();
    }

    /** The next character that is no white space; 0 at the end. */
    private char peek() {
        while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) at++;
        return at < text.length() ? text.charAt(at) : 0;
    }

    private boolean skip(char wanted) {
        boolean found = peek() == wanted;
        if (found) at++;
        return found;
    }
}
