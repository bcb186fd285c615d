package main

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	corev1 "k8s.io/client-go/kubernetes/typed/core/v1"
)

const warmUp = 50

// requests gets or patches one ConfigMap again and again, so many at a time.
func requests(kind string, amount Work) Numbers {
	client, err := kubernetes.NewForConfig(config(kind))
	must(err)
	configMaps := client.CoreV1().ConfigMaps("bench")
	one := func(number int) { request(configMaps, amount.Verb, number) }
	for number := 0; number < warmUp; number++ {
		one(number)
	}
	together(amount.Concurrency, amount.Concurrency, one) // the connections are open before the clock starts
	cpu, wall := cpuSeconds(), time.Now()
	together(amount.Requests, amount.Concurrency, one)
	return Numbers{
		"cpu_us":     (cpuSeconds() - cpu) / float64(amount.Requests) * 1e6,
		"per_second": float64(amount.Requests) / time.Since(wall).Seconds(),
	}
}

func request(configMaps corev1.ConfigMapInterface, verb string, number int) {
	if verb == "get" {
		_, err := configMaps.Get(context.Background(), "one", metav1.GetOptions{})
		must(err)
		return
	}
	body := fmt.Appendf(nil, `{"metadata":{"labels":{"x":"%d"}}}`, number)
	_, err := configMaps.Patch(context.Background(), "one", types.MergePatchType, body, metav1.PatchOptions{})
	must(err)
}

// together calls one with each number below count, in so many goroutines.
func together(count, goroutines int, one func(int)) {
	var next atomic.Int64
	var running sync.WaitGroup
	for range goroutines {
		running.Add(1)
		go func() {
			defer running.Done()
			for number := next.Add(1); number <= int64(count); number = next.Add(1) {
				one(int(number))
			}
		}()
	}
	running.Wait()
}
