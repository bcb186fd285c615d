// The client-go contender of the benchmark. See ../README.md.
//
//	kubewright-go-peer <kind> <scenario> '<work as JSON>'
//
// The kind says how objects travel and what they become: json and proto are the typed client, dynamic
// is maps of maps, which is what a custom resource gets without generated code. The last line of the
// output is the result as JSON, as with the Python contenders. KUBECONFIG names the server.
package main

import (
	"encoding/json"
	"fmt"
	"os"
)

// Work is how much to do; bench/measure.py has the same fields.
type Work struct {
	Pods        int    `json:"pods"`
	Events      int    `json:"events"`
	Requests    int    `json:"requests"`
	Concurrency int    `json:"concurrency"`
	Verb        string `json:"verb"`
	Patches     int    `json:"patches"`
	Widgets     int    `json:"widgets"`
	Workers     int    `json:"workers"`
	Cycles      int    `json:"cycles"`
	Namespace   string `json:"namespace"`
}

// Numbers are what a scenario yields, by name.
type Numbers map[string]float64

func main() {
	if len(os.Args) == 2 && os.Args[1] == "convert" {
		convert(os.Stdin, os.Stdout)
		return
	}
	if len(os.Args) == 4 && os.Args[1] == "webhook" {
		serveWebhooks(os.Args[2], os.Args[3])
		return
	}
	if len(os.Args) != 4 {
		fail("usage: kubewright-go-peer json|proto|dynamic <scenario> '<work as JSON>'")
	}
	kind, scenario := os.Args[1], os.Args[2]
	var work Work
	must(json.Unmarshal([]byte(os.Args[3]), &work))
	scenarios := map[string]func(string, Work) Numbers{
		"list_pods":  listPods,
		"watch_pods": watchPods,
		"latency":    latency,
		"operate":    operate,
		"queue":      queueCycles,
		"requests":   requests,
	}
	run, known := scenarios[scenario]
	if !known {
		fail("unknown scenario " + scenario)
	}
	emit(run(kind, work))
}

func emit(numbers Numbers) {
	text, err := json.Marshal(numbers)
	must(err)
	fmt.Println(string(text))
}

func must(err error) {
	if err != nil {
		fail(err.Error())
	}
}

func fail(text string) {
	fmt.Fprintln(os.Stderr, text)
	os.Exit(1)
}
