#!/bin/bash
# health-check.sh: takes a node out of service whose devices are gone or have become slow.
# For slurm.conf:
#
#   HealthCheckProgram=/usr/local/share/gpucal/slurm/health-check.sh
#   HealthCheckInterval=300
#   HealthCheckNodeState=IDLE
#
# The node is drained, with a reason that begins with "gpucal:", when 'gpucal audit' says
# that one of its devices failed (a confirmed drift beyond the limit of the configuration),
# when a published device is not there any more, or when OpenCL does not answer.  A
# warning does nothing.  Neither does what keeps the check itself from working, such as a
# store that is not mounted: it goes to the system's log.
#
# A node that is drained already, by whomever, stays as it is; but once nothing is wrong any
# more, as after a repair and a new calibration, one that this script drained is resumed,
# unless GPUCAL_RESUME=no.  Settings: /etc/gpucal/slurm.env (see slurm.env.example).
#
# It ends within 50 s; Slurm kills it after 60.
set -u
export PATH=$PATH:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C

settings=${GPUCAL_SETTINGS:-/etc/gpucal/slurm.env}
if [ -r "$settings" ]; then
    set -a
    # shellcheck source=slurm/slurm.env.example
    . "$settings"
    set +a
fi
node=${SLURMD_NODENAME:-$(hostname -s)}

note() {
    echo "gpucal health check: $node: $*" >&2
    logger -t gpucal-health "$node: $*" 2> /dev/null
}

gpucal() { # SECONDS ARGUMENT...
    local seconds=$1
    shift
    timeout -k 1 "$seconds" "${GPUCAL:-gpucal}" "$@"
}

# A text of gpucal's JSON by its key, one a line.
texts() { # KEY
    sed -n "s/^ *\"$1\": \"\(.*\)\",\{0,1\}$/\1/p"
}

# UID and name of each device in it; what else has a name has no uid before it.
devices() {
    local line uid=''
    while read -r line; do
        case $line in
        '"uid": "'*) uid=$(texts uid <<< "$line") ;;
        '"name": "'*) [ -z "$uid" ] || printf '%s\t%s\n' "$uid" "$(texts name <<< "$line")" ;;&
        '"name": "'* | '}'*) uid='' ;;
        esac
    done
}

# PROBLEM is set to what is wrong with the node, and stays empty if nothing is.

check_devices() {
    local published present status uid name

    if [ ! -d "${GPUCAL_STORE-}/nodes" ]; then
        note "there is no store '${GPUCAL_STORE-}' (GPUCAL_STORE in $settings)"
        return
    fi
    [ -e "$GPUCAL_STORE/nodes/$node.yaml" ] || return # nothing to check yet
    if ! published=$(gpucal 5 show --node "$node" --json 2> /dev/null); then
        note "what is published of the node cannot be read"
        return
    fi
    published=$(devices <<< "$published")
    present=$(gpucal 20 devices --json 2> /dev/null)
    status=$?
    if ((status == 124 || status == 137)); then
        PROBLEM="OpenCL does not answer within 20 s"
        return
    fi
    while IFS=$'\t' read -r uid name; do
        texts uid <<< "$present" | grep -qxF "$uid" && continue
        PROBLEM="$name ($uid) is gone"
        return
    done <<< "$published"
}

# The first finding that is a failure, of the JSON of an audit.
failure() {
    local line name='' code='' failed=0
    while read -r line; do
        case $line in
        '"name": '*) name=$(texts name <<< "$line") ;;
        '"code": '*) code=$(texts code <<< "$line") failed=0 ;;
        '"verdict": "failure"'*) failed=1 ;;
        '"what": '*)
            ((failed)) && echo "$name: $(texts what <<< "$line") ($code)" && return
            ;;
        esac
    done
}

check_drift() {
    local found status

    [ -e "${GPUCAL_STORE-}/nodes/$node.yaml" ] || return
    found=$(gpucal 15 audit --node "$node" --json 2> /dev/null)
    status=$?
    case $status in
    0 | 2) ;;
    3) PROBLEM="drift of $(failure <<< "$found")" ;;
    *) note "'gpucal audit' ended with $status: the node is not audited" ;;
    esac
}

# STATE and REASON of the node.
read_state() {
    local shown
    shown=$(timeout 5 scontrol show node "$node") || return
    STATE=$(sed -n 's/^ *State=\([^ ]*\).*/\1/p' <<< "$shown")
    REASON=$(sed -n 's/^ *Reason=\(.*\) \[.*@.*\]$/\1/p' <<< "$shown")
}

main() {
    PROBLEM=''
    check_devices
    [ -n "$PROBLEM" ] || check_drift
    if ! read_state; then
        note "scontrol does not answer"
        return
    fi
    if [ -n "$PROBLEM" ] && [[ $STATE != *DRAIN* && $STATE != *DOWN* ]]; then
        note "drained: $PROBLEM"
        timeout 5 scontrol update NodeName="$node" State=DRAIN Reason="gpucal: $PROBLEM"
    elif [ -z "$PROBLEM" ] && [[ $STATE = *DRAIN* && $REASON = gpucal:* ]] &&
        [ "${GPUCAL_RESUME:-yes}" = yes ]; then
        note "resumed: it was drained for '$REASON'"
        timeout 5 scontrol update NodeName="$node" State=RESUME
    fi
}

main
exit 0
