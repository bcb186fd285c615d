package main

import (
	"errors"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
)

// Shop is the custom resource in v1, the hub; bench/webhook/data.py makes them.
type Shop struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              ShopSpec `json:"spec"`
}

// ShopSpec is what is wanted; its schedule is a line of five words.
type ShopSpec struct {
	Schedule          string                 `json:"schedule"`
	Region            string                 `json:"region"`
	Replicas          int32                  `json:"replicas"`
	Suspend           *bool                  `json:"suspend,omitempty"`
	ConcurrencyPolicy string                 `json:"concurrencyPolicy,omitempty"`
	HistoryLimit      *int32                 `json:"historyLimit,omitempty"`
	Template          corev1.PodTemplateSpec `json:"template"`
}

// ShopV2 is the same in v2.
type ShopV2 struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              ShopV2Spec `json:"spec"`
}

// ShopV2Spec has the schedule in parts.
type ShopV2Spec struct {
	Schedule          Schedule               `json:"schedule"`
	Region            string                 `json:"region"`
	Replicas          int32                  `json:"replicas"`
	Suspend           *bool                  `json:"suspend,omitempty"`
	ConcurrencyPolicy string                 `json:"concurrencyPolicy,omitempty"`
	HistoryLimit      *int32                 `json:"historyLimit,omitempty"`
	Template          corev1.PodTemplateSpec `json:"template"`
}

// Schedule is a line of a crontab.
type Schedule struct {
	Minute     string `json:"minute"`
	Hour       string `json:"hour"`
	DayOfMonth string `json:"dayOfMonth"`
	Month      string `json:"month"`
	DayOfWeek  string `json:"dayOfWeek"`
}

var (
	shopV1     = schema.GroupVersionKind{Group: "bench.kubewright.dev", Version: "v1", Kind: "Shop"}
	shopV2     = schema.GroupVersionKind{Group: "bench.kubewright.dev", Version: "v2", Kind: "Shop"}
	shopScheme = runtime.NewScheme()
	shopCodecs = serializer.NewCodecFactory(shopScheme)
)

func init() {
	shopScheme.AddKnownTypeWithName(shopV1, &Shop{})
	shopScheme.AddKnownTypeWithName(shopV2, &ShopV2{})
}

// Default sets two fields.
func (shop *Shop) Default() {
	if shop.Spec.ConcurrencyPolicy == "" {
		shop.Spec.ConcurrencyPolicy = "Allow"
	}
	if shop.Spec.HistoryLimit == nil {
		limit := int32(3)
		shop.Spec.HistoryLimit = &limit
	}
}

// Validate checks an update.
func (shop *Shop) Validate(old *Shop) error {
	if shop.Spec.Region != old.Spec.Region {
		return errors.New("spec.region cannot change")
	}
	if shop.Spec.Replicas < 0 {
		return errors.New("spec.replicas must not be negative")
	}
	for _, container := range shop.Spec.Template.Spec.Containers {
		if container.Image == "" {
			return fmt.Errorf("container %s has no image", container.Name)
		}
	}
	return nil
}

// ConvertFrom makes a v2 of a v1.
func (shop *ShopV2) ConvertFrom(hub *Shop) error {
	words := strings.Fields(hub.Spec.Schedule)
	if len(words) != 5 {
		return fmt.Errorf("schedule %q has not five words", hub.Spec.Schedule)
	}
	shop.ObjectMeta = hub.ObjectMeta
	shop.Spec = ShopV2Spec{
		Schedule:          Schedule{words[0], words[1], words[2], words[3], words[4]},
		Region:            hub.Spec.Region,
		Replicas:          hub.Spec.Replicas,
		Suspend:           hub.Spec.Suspend,
		ConcurrencyPolicy: hub.Spec.ConcurrencyPolicy,
		HistoryLimit:      hub.Spec.HistoryLimit,
		Template:          hub.Spec.Template,
	}
	return nil
}

// DeepCopyObject copies a Shop as generated code does.
func (shop *Shop) DeepCopyObject() runtime.Object {
	out := &Shop{TypeMeta: shop.TypeMeta, Spec: shop.Spec}
	shop.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	out.Spec.Suspend, out.Spec.HistoryLimit = copied(shop.Spec.Suspend), copied(shop.Spec.HistoryLimit)
	shop.Spec.Template.DeepCopyInto(&out.Spec.Template)
	return out
}

// DeepCopyObject copies a ShopV2 as generated code does.
func (shop *ShopV2) DeepCopyObject() runtime.Object {
	out := &ShopV2{TypeMeta: shop.TypeMeta, Spec: shop.Spec}
	shop.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	out.Spec.Suspend, out.Spec.HistoryLimit = copied(shop.Spec.Suspend), copied(shop.Spec.HistoryLimit)
	shop.Spec.Template.DeepCopyInto(&out.Spec.Template)
	return out
}

func copied[T any](pointer *T) *T {
	if pointer == nil {
		return nil
	}
	value := *pointer
	return &value
}
