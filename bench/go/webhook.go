package main

import (
	"crypto/tls"
	"encoding/json"
	"io"
	"net/http"
	"os"
)

// The same limit as controller-runtime has for admission reviews.
const maxReview = 7 << 20

// serveWebhooks serves the three webhooks of Shop until it is killed:
//
//	kubewright-go-peer webhook <port> <file with certificate and key>
//
// HTTP/2 is off, as kubebuilder scaffolds it.
func serveWebhooks(port, certificate string) {
	mux := http.NewServeMux()
	mux.HandleFunc("/mutate-bench-kubewright-dev-v1-shop", admission(defaultShop))
	mux.HandleFunc("/validate-bench-kubewright-dev-v1-shop", admission(validateShop))
	mux.HandleFunc("/convert", convertShops)
	server := &http.Server{
		Addr:         "127.0.0.1:" + port,
		Handler:      mux,
		TLSConfig:    &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}},
		TLSNextProto: map[string]func(*http.Server, *tls.Conn, http.Handler){},
	}
	go endWithParent()
	must(server.ListenAndServeTLS(certificate, certificate))
}

// endWithParent ends this process when its standard input is closed.
func endWithParent() {
	_, _ = io.Copy(io.Discard, os.Stdin)
	os.Exit(0)
}

func reply(w http.ResponseWriter, review any) {
	w.Header().Set("Content-Type", "application/json")
	must(json.NewEncoder(w).Encode(review))
}
