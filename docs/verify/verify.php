<?php
// Verifies webhook signatures, with PHP 7.4 or newer. To test it: php verify.php vectors.tsv
declare(strict_types=1);

/**
 * Tells whether a webhook is authentic and fresh.
 *
 * $rawBody is the body's bytes as they came, before any parser touched them; a header that is
 * absent is null; $now is the Unix time in seconds. Never throws for what the sender sent.
 */
function verify(
    string $secret,
    ?string $timestampHeader,
    ?string $signatureHeader,
    string $rawBody,
    ?int $now = null
): bool {
    if ($timestampHeader === null || $signatureHeader === null) {
        return false;
    }
    if (preg_match('/\A[0-9]{1,12}\z/', $timestampHeader) !== 1) {
        return false;
    }
    if (abs(($now ?? time()) - (int) $timestampHeader) > 300) {
        return false;
    }
    $expected = 'sha256=' . hash_hmac('sha256', $timestampHeader . '.' . $rawBody, $secret);
    return hash_equals($expected, $signatureHeader);
}

function main(string $path): int
{
    $text = file_get_contents($path);
    if ($text === false) {
        return 1;
    }
    $isVector = fn (string $line) => $line !== '' && $line[0] !== '#';
    $vectors = array_filter(explode("\n", $text), $isVector);
    $wrong = 0;
    foreach ($vectors as $vector) {
        [$name, $expected, $now, $secret, $timestamp, $signature, $body] = explode("\t", $vector);
        $valid = verify(
            $secret,
            $timestamp === '' ? null : $timestamp,
            $signature === '' ? null : $signature,
            base64_decode($body, true),
            (int) $now
        );
        if ($valid !== ($expected === 'valid')) {
            $verdict = $valid ? 'accepted' : 'rejected';
            fwrite(STDERR, sprintf("%s: %s, but it is %s\n", $name, $verdict, $expected));
            $wrong += 1;
        }
    }
    printf("%d vectors, %d wrong\n", count($vectors), $wrong);
    return count($vectors) > 0 && $wrong === 0 ? 0 : 1;
}

if (realpath($_SERVER['SCRIPT_FILENAME']) === __FILE__) {
    if ($argc !== 2) {
        fwrite(STDERR, "usage: php verify.php vectors.tsv\n");
        exit(2);
    }
    exit(main($argv[1]));
}
