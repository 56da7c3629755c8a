// Verifies webhook signatures, with Go 1.16 or newer.
// To test it: go run verify.go vectors.go vectors.tsv

package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strconv"
)

var unixTime = regexp.MustCompile(`^[0-9]{1,12}$`)

// verify tells whether a webhook is authentic and fresh.
//
// rawBody is the body's bytes as they came, before any parser touched them; a header that is
// absent is "", as http.Header.Get gives it; now is time.Now().Unix(). It never panics for what
// the sender sent.
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
