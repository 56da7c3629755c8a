// Places an order and waits for its result: go run first_order.go shop-1001 [product id]
//
// Needs Go 1.16 or newer, and BASE_URL and API_KEY in the environment; CALLBACK_URL is optional.
// The argument is your own purchase number: with the same number, the program finds the same order.
// Exits with 0 if the order is completed, 2 for wrong arguments, otherwise 1.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand"
	"net/http"
	"os"
	"strconv"
	"time"
)

type order struct {
	Code        string      `json:"code"`
	Status      string      `json:"status"`
	TotalAmount json.Number `json:"totalAmount"` // as written: never a float for money
	Currency    string      `json:"currency"`
	Items       []struct {
		ProductName string `json:"productName"`
		Amount      int    `json:"amount"`
		Status      string `json:"status"`
		ErrorCode   string `json:"errorCode"`
		CdKeys      []struct {
			Code string `json:"code"`
		} `json:"cdKeys"`
	} `json:"items"`
}

var client = &http.Client{
	Timeout: 30 * time.Second,
	// A redirect would carry the key to another server.
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// send sends a request, and the very same one again while its outcome is unknown.
func send(method, path string, body []byte) (order, error) {
	var problem error
	for attempt := 0; attempt < 8; attempt++ {
		placed, status, retryAfter, err := try(method, path, body)
		if err == nil {
			return placed, nil
		}
		if status >= 300 && status < 500 && status != 408 && status != 429 {
			return order{}, fmt.Errorf("refused: %w", err)
		}
		problem = err
		pause := 500 * time.Millisecond << attempt
		if pause > 30*time.Second {
			pause = 30 * time.Second
		}
		pause += time.Duration(rand.Int63n(int64(500 * time.Millisecond)))
		if pause < retryAfter {
			pause = retryAfter
		}
		fmt.Fprintf(os.Stderr, "%v; again in %.1f s\n", err, pause.Seconds())
		time.Sleep(pause)
	}
	return order{}, fmt.Errorf("gave up, outcome unknown: run the same command again (%w)", problem)
}

// try sends a request once. Without an answer, status is 0.
func try(method, path string, body []byte) (
	placed order, status int, retryAfter time.Duration, err error,
) {
	request, err := http.NewRequest(method, os.Getenv("BASE_URL")+path, bytes.NewReader(body))
	if err != nil {
		return placed, 0, 0, err
	}
	request.Header.Set("X-Api-Key", os.Getenv("API_KEY"))
	request.Header.Set("Content-Type", "application/json")
	response, err := client.Do(request)
	if err != nil {
		return placed, 0, 0, fmt.Errorf("no answer: %w", err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return placed, 0, 0, fmt.Errorf("no answer: %w", err)
	}
	if response.StatusCode < 300 {
		answer := struct{ Data *order }{Data: &placed}
		return placed, response.StatusCode, 0, json.Unmarshal(text, &answer)
	}
	if seconds, err := strconv.Atoi(response.Header.Get("Retry-After")); err == nil {
		if seconds > 60 {
			seconds = 60
		}
		retryAfter = time.Duration(seconds) * time.Second
	}
	requestID := response.Header.Get("X-Request-Id")
	err = fmt.Errorf("HTTP %d, request %s: %s", response.StatusCode, requestID, text)
	return placed, response.StatusCode, retryAfter, err
}

func run(externalOrderID string, productID int) error {
	deliveryData := map[string]string{"gameUserId": "123456789"}
	type item struct {
		ProductID    int               `json:"productId"`
		Quantity     int               `json:"quantity"`
		DeliveryData map[string]string `json:"deliveryData"`
	}
	body, err := json.Marshal(struct {
		ExternalOrderID string `json:"externalOrderId"`
		Items           []item `json:"items"`
		CallbackURL     string `json:"callbackUrl,omitempty"`
	}{externalOrderID, []item{{productID, 1, deliveryData}}, os.Getenv("CALLBACK_URL")})
	if err != nil {
		return err
	}
	placed, err := send("POST", "/b2b/orders", body)
	if err != nil {
		return err
	}
	fmt.Printf("placed %s for %s %s\n", placed.Code, placed.TotalAmount, placed.Currency)

	pause := 500 * time.Millisecond
	isFinal := func() bool { return placed.Status == "completed" || placed.Status == "failed" }
	for reads := 0; reads < 25 && !isFinal(); reads++ {
		time.Sleep(pause)
		if pause *= 2; pause > 30*time.Second {
			pause = 30 * time.Second
		}
		if placed, err = send("GET", "/b2b/orders/"+placed.Code, nil); err != nil {
			return err
		}
	}
	fmt.Println(placed.Status, placed.Code)
	for _, item := range placed.Items {
		fmt.Printf("  %d x %s: %s", item.Amount, item.ProductName, item.Status)
		if item.ErrorCode != "" {
			fmt.Printf(" (%s)", item.ErrorCode)
		}
		fmt.Println()
		for _, key := range item.CdKeys {
			fmt.Println("    " + key.Code)
		}
	}
	if placed.Status != "completed" {
		return fmt.Errorf("the order is %s", placed.Status)
	}
	return nil
}

func main() {
	productID, err := 101, error(nil)
	if len(os.Args) == 3 {
		productID, err = strconv.Atoi(os.Args[2])
	}
	isSet := os.Getenv("BASE_URL") != "" && os.Getenv("API_KEY") != ""
	if !isSet || len(os.Args) < 2 || len(os.Args) > 3 || err != nil {
		fmt.Fprintln(os.Stderr,
			"usage: set BASE_URL and API_KEY, then: go run first_order.go shop-1001 [product id]")
		os.Exit(2)
	}
	if err := run(os.Args[1], productID); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
