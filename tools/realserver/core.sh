# kube-apiserver and kube-controller-manager 1.20.2 from Debian's source package `kubernetes`, the
# last that carries its dependencies along. Sourced by ../real-apiserver.

core_version=1.20.2
core_home=$cache/kubernetes-$core_version-3 # counted up when what is built changes: an old build is then not taken for a new one

build_core() {
    install_packages golang-go rsync jq dpkg-dev
    say "building kube-apiserver and kube-controller-manager $core_version, once; about six minutes on two cores"
    fetch_core
    adapt_core_to_newer_go
    compile_core
}

fetch_core() {
    use_suite bookworm
    (cd "$work" && apt source -qq kubernetes >&2 && apt download -qq golang-github-modern-go-reflect2-dev >&2) ||
        die "cannot fetch the source package 'kubernetes' of Debian bookworm"
    mkdir -p "$work/go/src/k8s.io"
    mv "$work"/kubernetes-*/ "$work/go/src/k8s.io/kubernetes"
}

# Kubernetes 1.20 is older than Go 1.18, whose reflection broke two of the packages it carries along.
adapt_core_to_newer_go() {
    local vendor=$work/go/src/k8s.io/kubernetes/vendor
    # reflect2 walks Go's maps by their old layout: the server crashes at the first custom resource.
    # Debian's own package has the cure.
    local reflect2=$vendor/github.com/modern-go/reflect2
    dpkg-deb -x "$work"/golang-github-modern-go-reflect2-dev_*.deb "$work/reflect2"
    rm "$reflect2"/*.go "$reflect2"/*.s
    cp "$work"/reflect2/usr/share/gocode/src/github.com/modern-go/reflect2/*.{go,s} "$reflect2/"
    rm -f "$reflect2"/*_test.go
    # The validator asks whether two reflected values are the same, which now holds for more of them:
    # every empty string in a custom resource would be refused as a null.
    local validator=$vendor/k8s.io/kube-openapi/pkg/validation/validate/type.go
    sed -i 's/if data == nil || reflect.DeepEqual(.*) {$/if data == nil {/' "$validator"
    if grep -q 'DeepEqual(reflect.Zero' "$validator"; then die "the source has changed: cannot mend $validator"; fi
}

compile_core() {
    local tree=$work/go/src/k8s.io/kubernetes
    (cd "$tree" && GOPATH=$work/go GOCACHE=$work/gocache GO111MODULE=off CGO_ENABLED=0 GOFLAGS= \
        KUBE_GIT_VERSION=v$core_version KUBE_GIT_MAJOR=1 KUBE_GIT_MINOR=20 KUBE_GIT_COMMIT=debian KUBE_GIT_TREE_STATE=clean \
        make WHAT="cmd/kube-apiserver cmd/kube-controller-manager" >&2)
    cp "$tree"/_output/bin/kube-apiserver "$tree"/_output/bin/kube-controller-manager "$work/bin/"
}
