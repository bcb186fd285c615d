package main

import (
	"encoding/json"
	"io"
	"net/http"
	"reflect"

	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
)

// No release of Debian has controller-runtime. So this takes the steps that its admission webhooks
// take, with the same libraries of Kubernetes below: the codecs decode the review, and then the object
// into its struct; a defaulter works beside a deep copy, and what it changed is a JSON patch between
// the bytes that came and the object marshalled. Left out are its metrics and its log.

var (
	admissionScheme = runtime.NewScheme()
	admissionCodecs = serializer.NewCodecFactory(admissionScheme)
)

func init() { must(admissionv1.AddToScheme(admissionScheme)) }

type answerer func(*admissionv1.AdmissionRequest) *admissionv1.AdmissionResponse

// admission is the handler of a path.
func admission(answer answerer) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(io.LimitReader(r.Body, maxReview))
		if err == nil && r.Header.Get("Content-Type") != "application/json" {
			err = http.ErrNotSupported
		}
		review := &admissionv1.AdmissionReview{}
		if err == nil {
			_, _, err = admissionCodecs.UniversalDeserializer().Decode(body, nil, review)
		}
		if err != nil || review.Request == nil {
			http.Error(w, "no AdmissionReview", http.StatusBadRequest)
			return
		}
		response := answer(review.Request)
		response.UID = review.Request.UID
		reply(w, admissionv1.AdmissionReview{TypeMeta: review.TypeMeta, Response: response})
	}
}

func defaultShop(request *admissionv1.AdmissionRequest) *admissionv1.AdmissionResponse {
	shop, err := decodeShop(request.Object)
	if err != nil {
		return denied(http.StatusBadRequest, err)
	}
	before := shop.DeepCopyObject()
	shop.Default()
	if reflect.DeepEqual(before, shop) {
		return allowed()
	}
	marshalled, err := json.Marshal(shop)
	if err != nil {
		return denied(http.StatusInternalServerError, err)
	}
	patch, err := patchBetween(request.Object.Raw, marshalled)
	if err != nil {
		return denied(http.StatusInternalServerError, err)
	}
	response, kind := allowed(), admissionv1.PatchTypeJSONPatch
	response.Patch, response.PatchType = patch, &kind
	return response
}

func validateShop(request *admissionv1.AdmissionRequest) *admissionv1.AdmissionResponse {
	shop, err := decodeShop(request.Object)
	if err != nil {
		return denied(http.StatusBadRequest, err)
	}
	old, err := decodeShop(request.OldObject)
	if err != nil {
		return denied(http.StatusBadRequest, err)
	}
	if err := shop.Validate(old); err != nil {
		return denied(http.StatusForbidden, err)
	}
	return allowed()
}

func decodeShop(raw runtime.RawExtension) (*Shop, error) {
	shop := &Shop{}
	_, _, err := shopCodecs.UniversalDeserializer().Decode(raw.Raw, nil, shop)
	return shop, err
}

func allowed() *admissionv1.AdmissionResponse {
	return &admissionv1.AdmissionResponse{Allowed: true, Result: &metav1.Status{Code: http.StatusOK}}
}

func denied(code int32, err error) *admissionv1.AdmissionResponse {
	return &admissionv1.AdmissionResponse{Result: &metav1.Status{Code: code, Message: err.Error()}}
}
