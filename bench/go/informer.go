package main

import (
	"context"
	"os"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/workqueue"
)

var (
	podResource       = schema.GroupVersionResource{Version: "v1", Resource: "pods"}
	configMapResource = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
)

// config returns how to reach the server. The limit of five requests a second is lifted, as
// controllers that have much to do are told to.
func config(kind string) *rest.Config {
	found, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	must(err)
	found.QPS = -1
	if kind == "proto" {
		found.ContentType = "application/vnd.kubernetes.protobuf"
		found.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
	} else {
		found.ContentType = "application/json"
	}
	return found
}

// connect opens the connection, which is not part of the list; clients share it.
func connect(kind string) {
	client, err := kubernetes.NewForConfig(config(kind))
	must(err)
	_, err = client.CoreV1().Namespaces().List(context.Background(), metav1.ListOptions{Limit: 1})
	must(err)
}

// newInformer returns an informer for pods or ConfigMaps and what starts it.
func newInformer(kind, namespace string, resource schema.GroupVersionResource) (cache.SharedIndexInformer, func(<-chan struct{})) {
	if kind == "dynamic" {
		client, err := dynamic.NewForConfig(config(kind))
		must(err)
		factory := dynamicinformer.NewFilteredDynamicSharedInformerFactory(client, 0, namespace, nil)
		return factory.ForResource(resource).Informer(), factory.Start
	}
	client, err := kubernetes.NewForConfig(config(kind))
	must(err)
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(namespace))
	generic, err := factory.ForResource(resource)
	must(err)
	return generic.Informer(), factory.Start
}

type queue = workqueue.TypedRateLimitingInterface[cache.ObjectName]

func newQueue() queue {
	return workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[cache.ObjectName]())
}

// enqueueing returns a handler that puts the key of every object that changes into the queue.
func enqueueing(keys queue) cache.ResourceEventHandlerFuncs {
	enqueue := func(object any) {
		key, err := cache.DeletionHandlingObjectToName(object)
		must(err)
		keys.Add(key)
	}
	return cache.ResourceEventHandlerFuncs{
		AddFunc:    enqueue,
		UpdateFunc: func(_, object any) { enqueue(object) },
		DeleteFunc: enqueue,
	}
}

// work hands keys to a reconciler until the queue is shut down.
func work(keys queue, reconcile func(cache.ObjectName) error) {
	for {
		key, closed := keys.Get()
		if closed {
			return
		}
		if err := reconcile(key); err != nil {
			keys.AddRateLimited(key)
		} else {
			keys.Forget(key)
		}
		keys.Done(key)
	}
}
