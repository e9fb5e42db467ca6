#!/bin/bash
# try.sh: builds the packages and images and uses them, each in a bare Debian 12 of its own.
#
#   scripts/packaging/try.sh OUT [STEP]...
#
# As root; needs mmdebstrap, dpkg-dev, autopkgtest and buildah.  Debian is fetched from where this
# machine's apt fetches it, and lies in chroots in the folder OUT, which may be removed.  All
# steps, in this order, if none is given:
#
#   build        a chroot with the build dependencies alone: packages and lintian
#   first        docs/examples/first: from the bare chroot to a predicted kernel
#   autopkgtest  the packages' own tests
#   quickstart   scripts/quickstart.sh of the source, without any of the packages
#   apptainer    what gpucal.def has Apptainer do, without Apptainer
#   container    Containerfile, by buildah without a container runtime
#
# The seconds of each step are printed, and are in OUT/times; what it printed is in OUT/STEP.log.
set -eu

top=$(cd "$(dirname "$0")/../.." && pwd)

die() {
    echo "try.sh: $*" >&2
    exit 1
}

# The machine's own mirrors of Debian, and nothing else that it has.
find_sources() {
    local file

    for file in /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list; do
        [ ! -s "$file" ] || { echo "$file" && return; }
    done
    die "neither debian.sources nor sources.list in /etc/apt"
}

make_bare() {
    [ -e bare.tar ] ||
        mmdebstrap --quiet --variant=minbase bookworm bare.tar "$(find_sources)"
}

make_chroot() { # NAME: a new one, with the kernel's file systems
    make_bare
    if mountpoint -q "$1/proc"; then umount -R "$1/proc" "$1/sys" "$1/dev"; fi
    rm -rf --one-file-system "$1"
    mkdir "$1"
    tar -xf bare.tar -C "$1"
    cp /etc/resolv.conf /etc/hosts "$1/etc/"
    mount -t proc proc "$1/proc"
    mount --rbind /sys "$1/sys"
    mount --rbind /dev "$1/dev"
    inside "$1" apt-get -q update
}

inside() { # CHROOT COMMAND...
    local root=$1

    shift
    chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
        DEBIAN_FRONTEND=noninteractive OMPI_ALLOW_RUN_AS_ROOT=1 \
        OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "$@"
}

# The source as the source package has it.
unpack_source() { # FOLDER
    mkdir "$1"
    tar -xf deb/gpucal_*.orig.tar.xz -C "$1" --strip-components=1
}

step_build() {
    "$top/scripts/packaging/build-deb.sh" -S deb
    make_chroot builder
    mkdir builder/deb
    cp -r deb/gpucal-*/ deb/gpucal_*.orig.tar.xz builder/deb/
    # shellcheck disable=SC2016 # expanded inside
    inside builder bash -euc 'cd /deb/gpucal-*
        apt-get -q -y --no-install-recommends install dpkg-dev lintian
        apt-get -q -y --no-install-recommends build-dep ./
        DEB_BUILD_OPTIONS=terse dpkg-buildpackage -us -uc
        cd ..
        lintian --allow-root --info --fail-on error,warning *.changes
        dpkg-deb -I gpucal_*.deb'
    cp builder/deb/*_* deb/
}

step_first() {
    make_chroot user
    cp deb/gpucal_*.deb deb/gpucal-frontend_*.deb user/root/
    unpack_source user/root/gpucal
    inside user bash -euc 'cd && gpucal/docs/examples/first/first.sh store ./*.deb'
}

step_autopkgtest() {
    make_chroot tested
    rm -rf autopkgtest
    autopkgtest --output-dir=autopkgtest --no-built-binaries deb/gpucal_*.dsc deb/*gpucal*.deb \
        -- chroot "$PWD/tested"
}

step_quickstart() {
    make_chroot quick
    unpack_source quick/root/gpucal
    inside quick bash -euc 'cd && gpucal/scripts/quickstart.sh' | tee quickstart.out
    # For people to judge: machines are busy.
    grep -E 'Done in .*, [0-9]+ s of it after the build' quickstart.out || die "no time was reported"
}

section() { # STAGE SECTION: its lines in gpucal.def
    awk -v stage="$1" -v section="%$2" '
        /^Stage: / { in_stage = $2 == stage }
        /^(%|Bootstrap: )/ { found = in_stage && $1 == section; next }
        found' "$top/scripts/packaging/gpucal.def"
}

# Apptainer runs %post by sh -e.
step_apptainer() {
    local files

    make_chroot build
    git clone -q "$top" build/source
    section build post | inside build sh -e
    make_chroot final
    files=$(section final files)
    [ "$files" ] || die "no %files in the stage final"
    while read -r from to; do
        mkdir -p "final/$to"
        # shellcheck disable=SC2086 # a pattern
        cp build/$from "final/$to"
    done <<< "$files"
    section final post | inside final sh -e
    section final test | inside final sh -e
    section final runscript > final/root/runscript
    cp "$top/docs/examples/first/saxpy.cl" final/root/
    inside final sh -e /root/runscript calibrate --store /root
    inside final sh -e /root/runscript learn /root/saxpy.cl --local 256 --global n --store /root
}

build_image() { # BUILDAH'S ARGUMENTS
    local command=$1

    shift
    buildah --root "$PWD/images" --runroot "$PWD/images.run" --storage-driver vfs "$command" "$@"
}

step_container() {
    local container

    make_bare
    rm -rf context
    git clone -q "$top" context
    container=$(build_image from scratch)
    build_image add -q "$container" bare.tar /
    build_image commit -q "$container" localhost/debian:12
    build_image rm "$container"
    build_image bud --isolation chroot --build-arg BASE=localhost/debian:12 -t gpucal \
        -f context/scripts/packaging/Containerfile context
    container=$(build_image from localhost/gpucal)
    build_image add -q "$container" "$top/docs/examples/first/saxpy.cl" /root/
    build_image run --isolation chroot "$container" gpucal calibrate --store /root
    build_image run --isolation chroot "$container" gpucal learn /root/saxpy.cl --local 256 \
        --global n --store /root
}

case ${1:--h} in
-h | --help) sed -n '2,/^set -eu/s/^# \{0,1\}//p' "$0" && exit $(($# == 0)) ;;
-*) die "unknown option $1 (see -h)" ;;
esac
[ "$(id -u)" = 0 ] || die "not root, which chroots need"
for tool in mmdebstrap dpkg-source autopkgtest buildah; do
    command -v "$tool" > /dev/null || die "$tool not found: install mmdebstrap dpkg-dev autopkgtest buildah"
done
# Mounts are seen by this script alone, and end with it.
[ "${GPUCAL_TRY:-}" ] || GPUCAL_TRY=yes exec unshare --mount "$0" "$@"

mkdir -p "$1"
cd "$1"
shift
[ $# -gt 0 ] || set -- build first autopkgtest quickstart apptainer container
for step; do
    declare -F "step_$step" > /dev/null || die "no step '$step' (see -h)"
done
for step; do
    started=$SECONDS
    # A process of its own, as a shell that looks at its status would go on after errors.
    (set -eu && "step_$step") > "$step.log" 2>&1 &
    wait $! || { tail -n 30 "$step.log" >&2 && die "$step failed: see $PWD/$step.log"; }
    echo "$step $((SECONDS - started)) s" | tee -a times
done
