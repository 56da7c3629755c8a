// Verifies webhook signatures, with Java 17 or newer. To test it: java Verify.java vectors.tsv

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

class Verify {
    public static void main(String[] args) throws IOException {
        if (args.length != 1) {
            System.err.println("usage: java Verify.java vectors.tsv");
            System.exit(2);
        }
        int vectors = 0;
        int wrong = 0;
        for (String line : Files.readString(Path.of(args[0])).split("\n")) {
            if (line.isEmpty() || line.startsWith("#")) continue;
            String[] vector = line.split("\t", -1);
            byte[] rawBody = Base64.getDecoder().decode(vector[6]);
            long now = Long.parseLong(vector[2]);
            boolean valid = WebhookSignature.verify(
                    vector[3], orNull(vector[4]), orNull(vector[5]), rawBody, now);
            vectors += 1;
            if (valid == vector[1].equals("valid")) continue;
            String verdict = valid ? "accepted" : "rejected";
            System.err.println(vector[0] + ": " + verdict + ", but it is " + vector[1]);
            wrong += 1;
        }
        System.out.println(vectors + " vectors, " + wrong + " wrong");
        System.exit(vectors > 0 && wrong == 0 ? 0 : 1);
    }

    private static String orNull(String column) {
        return column.isEmpty() ? null : column;
    }
}

final class WebhookSignature {
    /**
     * Tells whether a webhook is authentic and fresh.
     *
     * <p>rawBody is the body's bytes as they came, before any parser touched them; a header that is
     * absent is null; now is the Unix time in seconds, as Instant.now().getEpochSecond() gives it.
     * Never throws for what the sender sent.
     */
    static boolean verify(
            String secret,
            String timestampHeader,
            String signatureHeader,
            byte[] rawBody,
            long now) {
        if (timestampHeader == null || signatureHeader == null) return false;
        if (!timestampHeader.matches("[0-9]{1,12}")) return false;
        if (Math.abs(now - Long.parseLong(timestampHeader)) > 300) return false;
        String expected = "sha256=" + hmac(secret, timestampHeader + ".", rawBody);
        return MessageDigest.isEqual(expected.getBytes(UTF_8), signatureHeader.getBytes(UTF_8));
    }

    private static String hmac(String secret, String prefix, byte[] rawBody) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(secret.getBytes(UTF_8), "HmacSHA256"));
            mac.update(prefix.getBytes(UTF_8));
            return HexFormat.of().formatHex(mac.doFinal(rawBody));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java platform has HmacSHA256", e);
        }
    }
}
