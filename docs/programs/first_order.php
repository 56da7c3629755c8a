<?php
// Places an order and waits for its result: php first_order.php shop-1001 [product id]
// Runs on PHP 7.4 or newer without extensions. It needs BASE_URL and API_KEY in the environment;
// CALLBACK_URL is optional.
// The argument is your own purchase number: with the same number, the program finds the same order.
// Exits with 0 if the order is completed, 2 for wrong arguments, otherwise 1.
declare(strict_types=1);

/** An answer that a repeat would not change. */
class Refused extends Exception
{
}

/** Sends a request, and the very same one again while its outcome is unknown. */
function send(string $method, string $path, string $body = ''): array
{
    $problem = '';
    for ($attempt = 0; $attempt < 8; $attempt++) {
        $pause = min(0.5 * 2 ** $attempt, 30) + random_int(0, 500) / 1000;
        $context = stream_context_create(['http' => [
            'method' => $method,
            'header' => ['X-Api-Key: ' . getenv('API_KEY'), 'Content-Type: application/json'],
            'content' => $body,
            'protocol_version' => 1.1,
            'timeout' => 30,
            'ignore_errors' => true,
            'follow_location' => 0, // a redirect would carry the key to another server
        ]]);
        $stream = @fopen(getenv('BASE_URL') . $path, 'r', false, $context);
        if ($stream === false) {
            $problem = 'no answer: ' . (error_get_last()['message'] ?? '');
        } else {
            $headers = stream_get_meta_data($stream)['wrapper_data'];
            $text = (string) stream_get_contents($stream);
            fclose($stream);
            $status = (int) explode(' ', $headers[0])[1];
            $data = $status < 300 ? json_decode($text, true)['data'] ?? null : null;
            if ($data !== null) {
                return $data; // a whole answer: one that broke off is no JSON
            }
            $problem = "HTTP $status, request " . headerOf($headers, 'X-Request-Id') . ": $text";
            if ($status >= 300 && $status < 500 && $status !== 408 && $status !== 429) {
                throw new Refused($problem);
            }
            $pause = max($pause, min((int) headerOf($headers, 'Retry-After'), 60));
        }
        fprintf(STDERR, "%s; again in %.1f s\n", $problem, $pause);
        usleep((int) ($pause * 1e6));
    }
    throw new RuntimeException("gave up, outcome unknown: run the same command again ($problem)");
}

function headerOf(array $headers, string $name): string
{
    foreach ($headers as $header) {
        if (stripos($header, "$name:") === 0) {
            return trim(substr($header, strlen($name) + 1));
        }
    }
    return '';
}

function main(string $externalOrderId, int $productId): int
{
    $data = ['gameUserId' => '123456789'];
    $item = ['productId' => $productId, 'quantity' => 1, 'deliveryData' => $data];
    $request = ['externalOrderId' => $externalOrderId, 'items' => [$item]];
    if (getenv('CALLBACK_URL')) {
        $request['callbackUrl'] = getenv('CALLBACK_URL');
    }
    $order = send('POST', '/b2b/orders', json_encode($request, JSON_THROW_ON_ERROR));
    printf("placed %s for %.2f %s\n", $order['code'], $order['totalAmount'], $order['currency']);

    $ends = ['completed', 'failed'];
    for ($reads = 0; $reads < 25 && !in_array($order['status'], $ends, true); $reads++) {
        usleep((int) min(500_000 * 2 ** $reads, 30_000_000));
        $order = send('GET', "/b2b/orders/{$order['code']}");
    }
    echo "{$order['status']} {$order['code']}\n";
    foreach ($order['items'] as $item) {
        $error = $item['errorCode'] === null ? '' : " ({$item['errorCode']})";
        echo "  {$item['amount']} x {$item['productName']}: {$item['status']}$error\n";
        foreach ($item['cdKeys'] ?? [] as $key) {
            echo "    {$key['code']}\n";
        }
    }
    return $order['status'] === 'completed' ? 0 : 1;
}

if (!getenv('BASE_URL') || !getenv('API_KEY') || !in_array($argc, [2, 3], true)) {
    $usage = 'usage: set BASE_URL and API_KEY, then: php first_order.php shop-1001 [product id]';
    fwrite(STDERR, "$usage\n");
    exit(2);
}
try {
    exit(main($argv[1], (int) ($argv[2] ?? 101)));
} catch (Refused $refusal) {
    fwrite(STDERR, "refused: {$refusal->getMessage()}\n");
} catch (Exception $error) {
    fwrite(STDERR, "{$error->getMessage()}\n");
}
exit(1);
