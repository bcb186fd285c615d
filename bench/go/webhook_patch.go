package main

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
)

// operation is one step of a JSON patch.
type operation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value"`
}

var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")

// patchBetween returns the JSON patch from one document to another, both read into maps. Fields that
// are gone stay: the webhook's structs may not know them.
func patchBetween(before, after []byte) ([]byte, error) {
	var old, wanted any
	if err := json.Unmarshal(before, &old); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(after, &wanted); err != nil {
		return nil, err
	}
	return json.Marshal(changes("", old, wanted, nil))
}

func changes(path string, old, wanted any, found []operation) []operation {
	switch wanted := wanted.(type) {
	case map[string]any:
		if old, same := old.(map[string]any); same {
			return changedFields(path, old, wanted, found)
		}
	case []any:
		if old, same := old.([]any); same && len(old) == len(wanted) {
			for index := range wanted {
				found = changes(path+"/"+strconv.Itoa(index), old[index], wanted[index], found)
			}
			return found
		}
	}
	if reflect.DeepEqual(old, wanted) {
		return found
	}
	return append(found, operation{"replace", path, wanted})
}

func changedFields(path string, old, wanted map[string]any, found []operation) []operation {
	for name, value := range wanted {
		below := path + "/" + pointerEscapes.Replace(name)
		if before, known := old[name]; known {
			found = changes(below, before, value, found)
		} else {
			found = append(found, operation{"add", below, value})
		}
	}
	return found
}
