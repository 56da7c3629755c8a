// Checks verify.go against the vectors: go run verify.go vectors.go vectors.tsv (Go 1.16 or newer)
package main

import (
	"encoding/base64"
	"fmt"
	"os"
	"strconv"
	"strings"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: go run verify.go vectors.go vectors.tsv")
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
