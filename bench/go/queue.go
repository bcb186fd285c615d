package main

import (
	"fmt"

	"k8s.io/client-go/tools/cache"
)

const batch = 10_000

// queueCycles measures add, get, done and forget, in one goroutine: ten thousand keys in, then out.
func queueCycles(_ string, amount Work) Numbers {
	names := make([]cache.ObjectName, batch)
	for i := range names {
		names[i] = cache.NewObjectName(fmt.Sprintf("ns-%d", i%20), fmt.Sprintf("pod-%d", i))
	}
	keys := newQueue()
	cpu := cpuSeconds()
	rounds := amount.Cycles / batch
	for range rounds {
		for _, name := range names {
			keys.Add(name)
		}
		for range names {
			name, _ := keys.Get()
			keys.Forget(name)
			keys.Done(name)
		}
	}
	used := (cpuSeconds() - cpu) / float64(rounds*batch)
	return Numbers{"cpu_us": used * 1e6, "per_second": 1 / used}
}
