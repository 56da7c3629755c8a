// Receives webhooks, with Verify.java beside it: javac Receiver.java Verify.java && java
// Receiver. Java 17 or newer. The secret is in WEBHOOK_SECRET, or in the file that
// WEBHOOK_SECRET_FILE names, which is read again for each event and may come later. PORT (4100),
// HOST (127.0.0.1) and EVENTS (events, a folder, which holds keys) may be given too.

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

class Receiver {
    // Generous: the keys of an order come in one body.
    private static final int largestBody = 10 * 1024 * 1024;

    public static void main(String[] args) throws IOException {
        // How many seconds a request may take to arrive.
        System.setProperty("sun.net.httpserver.maxReqTime", "30");
        String host = setting("HOST", "127.0.0.1");
        int port = Integer.parseInt(setting("PORT", "4100"));
        HttpServer server = HttpServer.create(new InetSocketAddress(host, port), 0);
        server.setExecutor(Executors.newFixedThreadPool(16));
        server.createContext("/", Receiver::handle);
        server.start();
        System.out.println("listening on http://" + host + ":" + port);
    }

    private static void handle(HttpExchange exchange) throws IOException {
        int status = 503; // so that the service sends it again
        try {
            status = receive(exchange);
        } catch (IOException | RuntimeException e) {
            System.err.println("not stored: " + e);
        }
        exchange.sendResponseHeaders(status, -1);
        exchange.close();
    }

    /** Returns the status to answer with. */
    private static int receive(HttpExchange exchange) throws IOException {
        if (!exchange.getRequestMethod().equals("POST")) return 405;
        byte[] rawBody = exchange.getRequestBody().readNBytes(largestBody + 1);
        if (rawBody.length > largestBody) return 413;

        String secret = readSecret();
        if (secret.isEmpty()) return 503; // no secret yet: the service sends the event again
        String timestamp = exchange.getRequestHeaders().getFirst("X-Webhook-Timestamp");
        String signature = exchange.getRequestHeaders().getFirst("X-Webhook-Signature");
        long now = Instant.now().getEpochSecond();
        if (!WebhookSignature.verify(secret, timestamp, signature, rawBody, now)) return 401;
        String body = new String(rawBody, UTF_8);
        String id = field(body, "event_id");
        if (!id.equals(exchange.getRequestHeaders().getFirst("X-Idempotency-Key"))) return 401;

        // It is stored before the answer. What it causes is for a job that reads the folder.
        if (store(id, rawBody)) {
            String order = field(body, "orderCode") + " " + field(body, "externalOrderId");
            String status = field(body, "status");
            System.out.println(field(body, "event_type") + " " + order + " " + status);
        }
        return 200;
    }

    /**
     * Stores an event whole or not at all, and tells whether it is new. In production a unique key
     * in your database does this.
     */
    private static boolean store(String id, byte[] rawBody) throws IOException {
        if (!id.matches("[0-9a-f-]{36}")) throw new IOException("the event id is no UUID");
        Path folder = Files.createDirectories(Path.of(setting("EVENTS", "events")));
        Path scratch = Files.createTempFile(folder, ".new", "");
        try {
            Files.write(scratch, rawBody);
            try (FileChannel file = FileChannel.open(scratch, StandardOpenOption.WRITE)) {
                file.force(true);
            }
            // A link is made by one only, where two come at the same time.
            Files.createLink(folder.resolve(id + ".json"), scratch);
            return true;
        } catch (FileAlreadyExistsException e) {
            return false;
        } finally {
            Files.delete(scratch);
        }
    }

    /**
     * The text of a field, as it stands in the JSON; empty if there is none. The JDK has no reader:
     * if you have a library, use that.
     */
    private static String field(String json, String name) {
        String value = "\"([^\"\\\\]*+(?:\\\\.[^\"\\\\]*+)*+)\"";
        Matcher matcher = Pattern.compile("\"" + name + "\"\\s*:\\s*" + value).matcher(json);
        return matcher.find() ? matcher.group(1) : "";
    }

    private static String readSecret() throws IOException {
        String file = setting("WEBHOOK_SECRET_FILE", "");
        if (file.isEmpty()) return setting("WEBHOOK_SECRET", "");
        return Files.exists(Path.of(file)) ? Files.readString(Path.of(file)).strip() : "";
    }

    private static String setting(String name, String otherwise) {
        String value = System.getenv(name);
        return value == null || value.isEmpty() ? otherwise : value;
    }
}
