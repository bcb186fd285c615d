package main

import (
	"encoding/json"
	"fmt"
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// conversionReview has the shape of apiextensions.k8s.io/v1, whose package is not in Debian trixie.
type conversionReview struct {
	metav1.TypeMeta `json:",inline"`
	Request         *conversionRequest  `json:"request,omitempty"`
	Response        *conversionResponse `json:"response,omitempty"`
}

type conversionRequest struct {
	UID               types.UID              `json:"uid"`
	DesiredAPIVersion string                 `json:"desiredAPIVersion"`
	Objects           []runtime.RawExtension `json:"objects"`
}

type conversionResponse struct {
	UID              types.UID              `json:"uid"`
	ConvertedObjects []runtime.RawExtension `json:"convertedObjects"`
	Result           metav1.Status          `json:"result"`
}

// convertShops takes the steps of controller-runtime's conversion webhook.
func convertShops(w http.ResponseWriter, r *http.Request) {
	review := &conversionReview{}
	if err := json.NewDecoder(r.Body).Decode(review); err != nil || review.Request == nil {
		http.Error(w, "no ConversionReview", http.StatusBadRequest)
		return
	}
	response := &conversionResponse{Result: metav1.Status{Status: metav1.StatusSuccess}}
	for _, object := range review.Request.Objects {
		converted, err := convertShop(object.Raw, review.Request.DesiredAPIVersion)
		if err != nil {
			response.ConvertedObjects = nil
			response.Result = metav1.Status{Status: metav1.StatusFailure, Message: err.Error()}
			break
		}
		response.ConvertedObjects = append(response.ConvertedObjects, runtime.RawExtension{Object: converted})
	}
	response.UID = review.Request.UID
	review.Request, review.Response = nil, response
	reply(w, review)
}

func convertShop(raw []byte, version string) (runtime.Object, error) {
	source, kind, err := shopCodecs.UniversalDeserializer().Decode(raw, nil, nil)
	if err != nil {
		return nil, err
	}
	wanted := schema.FromAPIVersionAndKind(version, kind.Kind)
	target, err := shopScheme.New(wanted)
	if err != nil {
		return nil, err
	}
	target.GetObjectKind().SetGroupVersionKind(wanted)
	hub, fromHub := source.(*Shop)
	spoke, toSpoke := target.(*ShopV2)
	if !fromHub || !toSpoke {
		return nil, fmt.Errorf("%T cannot become %T here", source, target)
	}
	return target, spoke.ConvertFrom(hub)
}
