// Receives webhooks: go run receiver.go verify.go, with verify.go beside it. Go 1.19 or newer.
//
// The secret is in WEBHOOK_SECRET, or in the file that WEBHOOK_SECRET_FILE names, which is read
// again for each event and may come later. PORT (4100), HOST (127.0.0.1) and EVENTS (events, a
// folder, which holds keys) may be given too.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

const largestBody = 10 << 20 // the keys of an order come in one body

var uuid = regexp.MustCompile(`^[0-9a-f-]{36}$`)

type event struct {
	ID   string                 `json:"event_id"`
	Type string                 `json:"event_type"`
	Data map[string]interface{} `json:"data"`
}

func main() {
	address := setting("HOST", "127.0.0.1") + ":" + setting("PORT", "4100")
	server := &http.Server{
		Addr:        address,
		Handler:     http.HandlerFunc(handle),
		ReadTimeout: 30 * time.Second,
	}
	log.Printf("listening on http://%s", address)
	log.Fatal(server.ListenAndServe())
}

func handle(w http.ResponseWriter, r *http.Request) {
	status, err := receive(w, r)
	if err != nil {
		log.Printf("not stored: %v", err)
		status = http.StatusServiceUnavailable // so that the service sends it again
	}
	w.WriteHeader(status)
}

// receive returns the status to answer with.
func receive(w http.ResponseWriter, r *http.Request) (int, error) {
	if r.Method != http.MethodPost {
		return http.StatusMethodNotAllowed, nil
	}
	rawBody, err := io.ReadAll(http.MaxBytesReader(w, r.Body, largestBody))
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return http.StatusRequestEntityTooLarge, nil
	}
	if err != nil {
		return 0, err
	}

	secret, err := readSecret()
	if err != nil || secret == "" {
		return http.StatusServiceUnavailable, err // no secret yet: the service sends the event again
	}
	timestamp, signature := r.Header.Get("X-Webhook-Timestamp"), r.Header.Get("X-Webhook-Signature")
	if !verify(secret, timestamp, signature, rawBody, time.Now().Unix()) {
		return http.StatusUnauthorized, nil
	}
	decoder := json.NewDecoder(strings.NewReader(string(rawBody)))
	decoder.UseNumber() // amounts as written: never a float for money
	var e event
	if err := decoder.Decode(&e); err != nil {
		return 0, err
	}
	if e.ID != r.Header.Get("X-Idempotency-Key") {
		return http.StatusUnauthorized, nil
	}

	// It is stored before the answer. What it causes is for a job of yours that reads the folder.
	isNew, err := store(e.ID, rawBody)
	if err != nil {
		return 0, err
	}
	if isNew {
		items, _ := e.Data["items"].([]interface{})
		for _, item := range items {
			if fields, ok := item.(map[string]interface{}); ok {
				delete(fields, "cdKeys")
			}
		}
		data, _ := json.Marshal(e.Data)
		fmt.Printf("%s %s\n", e.Type, data)
	}
	return http.StatusOK, nil
}

// store stores an event whole or not at all, and tells whether it is new. In production a unique
// key in your database does this.
func store(id string, rawBody []byte) (bool, error) {
	if !uuid.MatchString(id) {
		return false, errors.New("the event id is no UUID")
	}
	folder := setting("EVENTS", "events")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return false, err
	}
	file, err := os.CreateTemp(folder, ".new")
	if err != nil {
		return false, err
	}
	defer os.Remove(file.Name())
	_, err = file.Write(rawBody)
	if err == nil {
		err = file.Sync()
	}
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return false, err
	}
	// A link is made by one only, where two come at the same time.
	err = os.Link(file.Name(), filepath.Join(folder, id+".json"))
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	return err == nil, err
}

func readSecret() (string, error) {
	file := os.Getenv("WEBHOOK_SECRET_FILE")
	if file == "" {
		return os.Getenv("WEBHOOK_SECRET"), nil
	}
	secret, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return strings.TrimSpace(string(secret)), err
}

func setting(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}
