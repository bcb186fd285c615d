package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// memory returns the resident memory now and at its peak, in MiB.
func memory() (now, peak float64) {
	status, err := os.ReadFile("/proc/self/status")
	must(err)
	for _, line := range strings.Split(string(status), "\n") {
		fields := strings.Fields(line)
		if len(fields) < 2 {
			continue
		}
		switch fields[0] {
		case "VmRSS:":
			now = mebibytes(fields[1])
		case "VmHWM:":
			peak = mebibytes(fields[1])
		}
	}
	return now, peak
}

func mebibytes(kibibytes string) float64 {
	number, err := strconv.ParseFloat(kibibytes, 64)
	must(err)
	return number / 1024
}

// settledMemory returns the resident memory once garbage is gone and free heap is given back.
func settledMemory() float64 {
	runtime.GC()
	debug.FreeOSMemory()
	now, _ := memory()
	return now
}

// cpuSeconds returns the CPU time of this process, all threads, user and system.
func cpuSeconds() float64 {
	var usage unix.Rusage
	must(unix.Getrusage(unix.RUSAGE_SELF, &usage))
	micro := float64(usage.Utime.Usec + usage.Stime.Usec)
	return float64(usage.Utime.Sec+usage.Stime.Sec) + micro/1e6
}

// monotonic returns the clock that all processes of a machine share, in nanoseconds.
func monotonic() int64 {
	var now unix.Timespec
	must(unix.ClockGettime(unix.CLOCK_MONOTONIC, &now))
	return now.Nano()
}

// listTimer measures one list into memory.
type listTimer struct {
	before, cpu float64
	wall        time.Time
}

func newListTimer() listTimer {
	before := settledMemory()
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // forget the peak of the start
	return listTimer{before: before, cpu: cpuSeconds(), wall: time.Now()}
}

func (t listTimer) done() Numbers {
	cpu, wall := cpuSeconds()-t.cpu, time.Since(t.wall).Seconds()
	_, peak := memory()
	net := settledMemory() - t.before
	return Numbers{"cpu": cpu, "wall": wall, "peak": peak - t.before, "net": net}
}

// eventTimer measures changes from the first that a handler hears of to the last reconciled one. It
// counts where they come in: a queue may make one reconcile of several.
type eventTimer struct {
	expected            int64
	count               atomic.Int64
	reconciles          int
	firstCPU, lastCPU   float64
	firstTime, lastTime time.Time
}

// seen counts one change; one goroutine calls it.
func (t *eventTimer) seen() {
	if t.count.Load() == 0 {
		t.firstTime, t.firstCPU = time.Now(), cpuSeconds()
	}
	t.count.Add(1)
}

// reconciled notes a reconcile, and says whether it was the last; one goroutine calls it.
func (t *eventTimer) reconciled(left int) bool {
	count := t.count.Load()
	if count > 0 {
		t.reconciles++
	}
	if count < t.expected || left > 0 {
		return false
	}
	t.lastTime, t.lastCPU = time.Now(), cpuSeconds()
	return true
}

func (t *eventTimer) result() Numbers {
	return Numbers{
		"cpu_us":     (t.lastCPU - t.firstCPU) / float64(t.expected) * 1e6,
		"per_second": float64(t.expected) / t.lastTime.Sub(t.firstTime).Seconds(),
		"reconciles": float64(t.reconciles) / float64(t.expected),
	}
}
