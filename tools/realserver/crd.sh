# The custom-resource server of a current Kubernetes, apiextensions-apiserver, from Debian sid's
# packages of Go sources, with sid's Go compiler and etcd. All are unpacked beside one another and
# none is installed. Sourced by ../real-apiserver.

crd_home=$cache/apiextensions-1 # counted up when what is built changes: an old build is then not taken for a new one
crd_package=golang-k8s-apiextensions-apiserver-dev

build_crd() {
    say "building apiextensions-apiserver, once; about four minutes on two cores"
    use_suite sid
    unpack_crd
    compile_crd
    cp "$work/tree/usr/bin/etcd" "$work/bin/"
    "$work/bin/etcd" --version >&2 || die "the etcd of Debian sid does not run on this machine"
}

# Everything in Go that the package depends on, the compiler included; what else it drags in (the C
# library, perl, …) serves packages that we do not build.
unpack_crd() {
    local names deb
    names=$(apt install --print-uris -y --no-install-recommends "$crd_package" |
        sed -nE "s/^'[^']*' (golang-[^_ ]*-dev|golang-[0-9.]+-(go|src))_.*/\1/p")
    grep -qx "$crd_package" <<<"$names" || die "Debian sid has no package $crd_package any more"
    mkdir "$work/debs"
    # shellcheck disable=SC2086 # a list of names
    (cd "$work/debs" && apt download -qq $names etcd-server >&2) || die "cannot download Debian sid's Go packages"
    for deb in "$work"/debs/*.deb; do dpkg-deb -x "$deb" "$work/tree"; done
}

compile_crd() {
    local version go variable=k8s.io/component-base/version
    # The module is 0.36.4 where Kubernetes is 1.36.4.
    version=$(dpkg-deb -f "$work"/debs/"$crd_package"_*.deb Version | sed -E 's/^0\.([0-9]+\.[0-9]+).*/1.\1/')
    go=$(echo "$work"/tree/usr/lib/go-*/bin/go)
    [ -x "$go" ] || die "Debian sid has no Go compiler where we look for it"
    local minor=${version#1.}
    GO111MODULE=off GOTOOLCHAIN=local GOFLAGS= CGO_ENABLED=0 \
        GOROOT=${go%/bin/go} GOPATH=$work/tree/usr/share/gocode GOCACHE=$work/gocache \
        "$go" build -o "$work/bin/apiextensions-apiserver" \
        -ldflags "-s -w -X $variable.gitVersion=v$version -X $variable.gitMajor=1 -X $variable.gitMinor=${minor%%.*}" \
        k8s.io/apiextensions-apiserver >&2
}
