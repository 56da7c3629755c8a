<?php
// Receives webhooks: php -d post_max_size=16M -d display_errors=0 -S 127.0.0.1:4100 receiver.php,
// with verify.php beside it. PHP 8.1 or newer, no extension. The secret is in WEBHOOK_SECRET, or
// in the file that WEBHOOK_SECRET_FILE names, which is read again for each event and may come
// later. EVENTS (events) is the folder of the events, which hold keys. Behind Apache or PHP-FPM,
// name one that the web server does not serve, and make both settings there.
declare(strict_types=1);

// Only what is stored is answered by 200. An error that PHP shows would be answered so, too.
http_response_code(503);
ini_set('display_errors', '0');
require_once __DIR__ . '/verify.php';

const LARGEST_BODY = 10 * 1024 * 1024; // the keys of an order come in one body

/** Returns the status to answer with. */
function receive(string $rawBody): int
{
    if ($_SERVER['REQUEST_METHOD'] !== 'POST') {
        return 405;
    }
    if (strlen($rawBody) > LARGEST_BODY) {
        return 413;
    }
    $secret = readSecret();
    if ($secret === '') {
        return 503; // no secret yet: the service sends the event again
    }
    $timestamp = $_SERVER['HTTP_X_WEBHOOK_TIMESTAMP'] ?? null;
    if (!verify($secret, $timestamp, $_SERVER['HTTP_X_WEBHOOK_SIGNATURE'] ?? null, $rawBody)) {
        return 401;
    }
    $event = json_decode($rawBody, true, 64, JSON_THROW_ON_ERROR);
    if ($event['event_id'] !== ($_SERVER['HTTP_X_IDEMPOTENCY_KEY'] ?? null)) {
        return 401;
    }

    // It is stored before the answer. What it causes is for a job of yours that reads the folder.
    if (store($event['event_id'], $rawBody)) {
        foreach (array_keys($event['data']['items'] ?? []) as $index) {
            unset($event['data']['items'][$index]['cdKeys']);
        }
        $data = json_encode($event['data'], JSON_UNESCAPED_UNICODE);
        error_log("{$event['event_type']} $data");
    }
    return 200;
}

/**
 * Stores an event whole or not at all, and tells whether it is new. In production a unique key in
 * your database does this.
 */
function store(string $id, string $rawBody): bool
{
    $folder = getenv('EVENTS') ?: 'events';
    if (preg_match('/\A[0-9a-f-]{36}\z/', $id) !== 1) {
        throw new RuntimeException('the event id is no UUID');
    }
    if (!is_dir($folder) && !@mkdir($folder, 0700) && !is_dir($folder)) {
        throw new RuntimeException("cannot make the folder $folder");
    }
    if (file_exists("$folder/$id.json")) {
        return false;
    }
    $scratch = tempnam($folder, '.new');
    $file = fopen($scratch, 'w');
    $isWritten = fwrite($file, $rawBody) === strlen($rawBody) && fsync($file) && fclose($file);
    // A link is made by one only, where two come at the same time.
    $isNew = $isWritten && @link($scratch, "$folder/$id.json");
    unlink($scratch);
    if (!$isNew && !file_exists("$folder/$id.json")) {
        throw new RuntimeException("cannot write to the folder $folder");
    }
    return $isNew;
}

function readSecret(): string
{
    $file = getenv('WEBHOOK_SECRET_FILE');
    if ($file === false) {
        return (string) getenv('WEBHOOK_SECRET');
    }
    return is_file($file) ? trim((string) file_get_contents($file)) : '';
}

try {
    $rawBody = (string) file_get_contents('php://input');
    $isWhole = strlen($rawBody) === (int) ($_SERVER['CONTENT_LENGTH'] ?? strlen($rawBody));
    http_response_code($isWhole ? receive($rawBody) : 503);
} catch (Throwable $error) {
    error_log('not stored: ' . $error->getMessage());
    http_response_code(503); // so that the service sends it again
}
