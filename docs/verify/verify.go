// Checks webhook signatures. Run it against the vectors: go run verify.go vectors.tsv (Go 1.16 or newer)
package main

// [docs:begin]
import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strconv"
)

// [docs:end]

import (
	"encoding/base64"
	"fmt"
	"os"
	"strings"
)

// [docs:begin]
var unixTime = regexp.MustCompile(`^[0-9]{1,12}$`)

// verify tells whether a webhook is authentic and fresh.
//
// rawBody is the body's bytes as they came, before any parser touched them; a header that is absent is "", as
// http.Header.Get gives it; now is time.Now().Unix(). It never panics for what the sender sent.
func verify(secret, timestampHeader, signatureHeader string, rawBody []byte, now int64) bool {
	if !unixTime.MatchString(timestampHeader) {
		return false
	}
	timestamp, err := strconv.ParseInt(timestampHeader, 10, 64)
	if err != nil || now-timestamp > 300 || timestamp-now > 300 {
		return false
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(timestampHeader + "."))
	mac.Write(rawBody)
	expected := "sha256=" + hex.EncodeToString(mac.Sum(nil))
	return hmac.Equal([]byte(expected), []byte(signatureHeader))
}

// [docs:end]

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: go run verify.go vectors.tsv")
		os.Exit(2)
	}
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	vectors, wrong := 0, 0
	for _, line := range strings.Split(string(text), "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		vectors++
		if fault := check(strings.Split(line, "\t")); fault != "" {
			fmt.Fprintln(os.Stderr, fault)
			wrong++
		}
	}
	fmt.Printf("%d vectors, %d wrong\n", vectors, wrong)
	if vectors == 0 || wrong > 0 {
		os.Exit(1)
	}
}

func check(vector []string) string {
	if len(vector) != 7 {
		return fmt.Sprintf("a vector has 7 columns, not %d", len(vector))
	}
	name, expected, secret, timestamp, signature := vector[0], vector[1], vector[3], vector[4], vector[5]
	now, err := strconv.ParseInt(vector[2], 10, 64)
	if err != nil {
		return fmt.Sprintf("%s: %v", name, err)
	}
	rawBody, err := base64.StdEncoding.DecodeString(vector[6])
	if err != nil {
		return fmt.Sprintf("%s: %v", name, err)
	}
	valid := verify(secret, timestamp, signature, rawBody, now)
	if valid == (expected == "valid") {
		return ""
	}
	return fmt.Sprintf("%s: accepted is %t, but it is %s", name, valid, expected)
}
