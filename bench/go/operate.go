package main

import (
	"context"
	"os"
	"strconv"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/tools/cache"
)

var widgetResource = schema.GroupVersionResource{Group: "bench.kubewright.dev", Version: "v1", Resource: "widgets"}

// operator keeps one ConfigMap for each Widget, and says so in the Widget's status.
type operator struct {
	client   dynamic.Interface
	widgets  cache.GenericLister
	children cache.GenericLister
	keys     queue
	tally    *tally
}

// operate runs the operator with the dynamic client until every Widget is done.
func operate(kind string, amount Work) Numbers {
	client, err := dynamic.NewForConfig(config("dynamic"))
	must(err)
	factory := dynamicinformer.NewFilteredDynamicSharedInformerFactory(client, 0, amount.Namespace, nil)
	widgets, children := factory.ForResource(widgetResource), factory.ForResource(configMapResource)
	o := &operator{client, widgets.Lister(), children.Lister(), newQueue(), newTally(amount.Widgets)}
	_, err = widgets.Informer().AddEventHandler(enqueueing(o.keys))
	must(err)
	_, err = children.Informer().AddEventHandler(enqueueingOwner(o.keys))
	must(err)
	stop := make(chan struct{})
	factory.Start(stop)
	factory.WaitForCacheSync(stop)
	for range amount.Workers {
		go work(o.keys, o.reconcile)
	}
	return <-o.tally.finished
}

func enqueueingOwner(keys queue) cache.ResourceEventHandlerFuncs {
	enqueue := func(object any) {
		if last, gone := object.(cache.DeletedFinalStateUnknown); gone {
			object = last.Obj
		}
		child := object.(*unstructured.Unstructured)
		if owner := metav1.GetControllerOf(child); owner != nil && owner.Kind == "Widget" {
			keys.Add(cache.NewObjectName(child.GetNamespace(), owner.Name))
		}
	}
	return cache.ResourceEventHandlerFuncs{
		AddFunc:    enqueue,
		UpdateFunc: func(_, object any) { enqueue(object) },
		DeleteFunc: enqueue,
	}
}

func (o *operator) reconcile(key cache.ObjectName) error {
	o.tally.began()
	found, err := o.widgets.ByNamespace(key.Namespace).Get(key.Name)
	if err != nil {
		return err
	}
	widget := found.(*unstructured.Unstructured).DeepCopy() // what the cache holds must not be changed
	if ready, _, _ := unstructured.NestedBool(widget.Object, "status", "ready"); ready {
		return nil
	}
	ctx := context.Background()
	configMaps := o.client.Resource(configMapResource).Namespace(key.Namespace)
	options := metav1.ApplyOptions{FieldManager: "bench", Force: true}
	if _, err := configMaps.Apply(ctx, key.Name, childOf(widget), options); err != nil {
		return err
	}
	status := map[string]any{"ready": true, "observedGeneration": widget.GetGeneration()}
	if err := unstructured.SetNestedMap(widget.Object, status, "status"); err != nil {
		return err
	}
	namespaced := o.client.Resource(widgetResource).Namespace(key.Namespace)
	if _, err := namespaced.UpdateStatus(ctx, widget, metav1.UpdateOptions{}); err != nil {
		return err
	}
	o.tally.done(key.Name)
	return nil
}

func childOf(widget *unstructured.Unstructured) *unstructured.Unstructured {
	size, _, _ := unstructured.NestedInt64(widget.Object, "spec", "size")
	child := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1",
		"kind":       "ConfigMap",
		"data":       map[string]any{"size": strconv.FormatInt(size, 10)},
	}}
	child.SetName(widget.GetName())
	child.SetNamespace(widget.GetNamespace())
	owner := metav1.NewControllerRef(widget, widget.GroupVersionKind())
	child.SetOwnerReferences([]metav1.OwnerReference{*owner})
	return child
}

// tally counts the Widgets that are done, once each, and measures from the first to the last.
type tally struct {
	lock     sync.Mutex
	expected int
	seen     map[string]bool
	first    int64
	cpu      float64
	finished chan Numbers
}

func newTally(expected int) *tally {
	return &tally{expected: expected, seen: map[string]bool{}, finished: make(chan Numbers, 1)}
}

func (t *tally) began() {
	t.lock.Lock()
	defer t.lock.Unlock()
	if t.first == 0 {
		t.first, t.cpu = monotonic(), cpuSeconds()
	}
}

func (t *tally) done(name string) {
	t.lock.Lock()
	defer t.lock.Unlock()
	if t.seen[name] {
		return
	}
	t.seen[name] = true
	if len(t.seen) == t.expected {
		t.finished <- t.numbers()
	}
}

func (t *tally) numbers() Numbers {
	started, _ := strconv.ParseInt(os.Getenv("BENCH_STARTED"), 10, 64)
	count := float64(t.expected)
	return Numbers{
		"first_ms":   float64(t.first-started) / 1e6,
		"per_second": count / (float64(monotonic()-t.first) / 1e9),
		"cpu_us":     (cpuSeconds() - t.cpu) / count * 1e6,
	}
}
