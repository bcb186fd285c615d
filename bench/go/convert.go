package main

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"io"

	corev1 "k8s.io/api/core/v1"
)

const longestLine = 1 << 20

// convert turns pods, one line of JSON each, into protobuf, each after its length in four bytes. The
// replay server plays them to those who ask for protobuf.
func convert(from io.Reader, to io.Writer) {
	lines := bufio.NewScanner(from)
	lines.Buffer(make([]byte, longestLine), longestLine)
	out := bufio.NewWriter(to)
	for lines.Scan() {
		var pod corev1.Pod
		must(json.Unmarshal(lines.Bytes(), &pod))
		message, err := pod.Marshal()
		must(err)
		must(binary.Write(out, binary.BigEndian, uint32(len(message))))
		_, err = out.Write(message)
		must(err)
	}
	must(lines.Err())
	must(out.Flush())
}
