package main

import (
	"runtime"

	"k8s.io/client-go/tools/cache"
)

// listPods measures an informer until it holds every pod and has told its handler so.
func listPods(kind string, work Work) Numbers {
	connect(kind)
	timer := newListTimer()
	informer, start := newInformer(kind, "", podResource)
	told := make(chan struct{})
	seen := 0
	registration, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(any) {
			if seen++; seen == work.Pods {
				close(told)
			}
		},
	})
	must(err)
	stop := make(chan struct{})
	start(stop)
	<-told // not WaitForCacheSync, which looks every tenth of a second only
	numbers := timer.done()
	cache.WaitForCacheSync(stop, registration.HasSynced)
	if held := len(informer.GetStore().ListKeys()); held != work.Pods {
		fail("the informer does not hold all pods")
	}
	runtime.KeepAlive(informer)
	return numbers
}

// watchPods measures changes through the cache, a handler, the queue and a reconciler that does
// nothing. One worker: with more, they would only wait for one another.
func watchPods(kind string, amount Work) Numbers {
	informer, start := newInformer(kind, "", podResource)
	keys := newQueue()
	timer := &eventTimer{expected: int64(amount.Events)}
	handler := enqueueing(keys)
	enqueue := handler.UpdateFunc
	handler.UpdateFunc = func(before, after any) {
		timer.seen() // before it is in the queue: the last reconcile must find all counted
		enqueue(before, after)
	}
	_, err := informer.AddEventHandler(handler)
	must(err)
	stop := make(chan struct{})
	start(stop)
	work(keys, func(cache.ObjectName) error {
		if timer.reconciled(keys.Len()) {
			keys.ShutDown()
		}
		return nil
	})
	return timer.result()
}
