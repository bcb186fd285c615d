package main

import (
	"fmt"
	"strconv"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/tools/cache"
)

// latency notes when the reconciler has seen each change that somebody else makes to a ConfigMap.
// It says READY when it has seen the ConfigMap as it is at first.
func latency(kind string, amount Work) Numbers {
	informer, start := newInformer(kind, amount.Namespace, configMapResource)
	keys := newQueue()
	_, err := informer.AddEventHandler(enqueueing(keys))
	must(err)
	stop := make(chan struct{})
	start(stop)
	seen := Numbers{}
	work(keys, func(key cache.ObjectName) error {
		object, exists, err := informer.GetStore().GetByKey(key.String())
		if err != nil || !exists || key.Name != "one" {
			return err
		}
		accessor, err := meta.Accessor(object)
		if err != nil {
			return err
		}
		number := accessor.GetLabels()["seq"]
		seen[number] = float64(monotonic())
		switch number {
		case "0":
			fmt.Println("READY")
		case strconv.Itoa(amount.Patches):
			keys.ShutDown()
		}
		return nil
	})
	return seen
}
