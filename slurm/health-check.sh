#!/bin/bash
# health-check.sh: drains a node whose devices are missing or have become slow.  In slurm.conf:
#
#   HealthCheckProgram=/usr/local/share/gpucal/slurm/health-check.sh
#   HealthCheckInterval=300
#   HealthCheckNodeState=IDLE
#
# The node is drained, with a reason that begins with "gpucal:", if 'gpucal audit' reports a
# failure of one of its devices (a confirmed drift beyond the limit of the configuration), if a
# published device is missing from a list of devices that 'gpucal devices' could make, or if
# OpenCL does not respond.  Warnings have no effect.  Errors of the check itself, such as a store
# that is not mounted, or a gpucal that does not start, go to the system log only: nothing is
# drained, and nothing resumed.
#
# A node that is already drained is not changed.  Once all is well again, as after a repair and
# a new calibration, a node that this script drained is resumed, unless GPUCAL_RESUME=no.
# Settings: /etc/gpucal/slurm.env (see slurm.env.example).
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

# Texts of a key in gpucal's JSON, one per line.
texts() { # KEY
    sed -n "s/^ *\"$1\": \"\(.*\)\",\{0,1\}$/\1/p"
}

# UID and name of each device; other objects with a name have no uid before it.
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

# Set PROBLEM to the node's problem, or leave it empty; BLIND, if they could not look.

blind() { # TEXT
    note "$*"
    BLIND=1
}

check_devices() {
    local published present status uid name started

    if [ ! -d "${GPUCAL_STORE-}/nodes" ]; then
        blind "there is no store '${GPUCAL_STORE-}' (GPUCAL_STORE in $settings)"
        return
    fi
    [ -e "$GPUCAL_STORE/nodes/$node.yaml" ] || return # nothing to check yet
    if ! published=$(gpucal 5 show --node "$node" --json 2> /dev/null); then
        blind "what is published of the node cannot be read"
        return
    fi
    published=$(devices <<< "$published")
    started=$SECONDS
    present=$(gpucal 20 devices --json 2> /dev/null)
    status=$?
    if ((status == 124 || status == 137)) && ((SECONDS - started >= 19)); then
        PROBLEM="OpenCL does not answer within 20 s"
        return
    elif ((status != 0 && status != 5)); then # 5: there is none
        blind "'gpucal devices' ended with $status: the devices are not known"
        return
    fi
    while IFS=$'\t' read -r uid name; do
        texts uid <<< "$present" | grep -qxF "$uid" && continue
        PROBLEM="$name ($uid) is gone"
        return
    done <<< "$published"
}

# The first failure in the JSON of an audit.
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
    *) blind "'gpucal audit' ended with $status: the node is not audited" ;;
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
    PROBLEM='' BLIND=0
    check_devices
    [ -n "$PROBLEM" ] || check_drift
    if ! read_state; then
        note "scontrol does not answer"
        return
    fi
    if [ -n "$PROBLEM" ] && [[ $STATE != *DRAIN* && $STATE != *DOWN* ]]; then
        note "drained: $PROBLEM"
        timeout 5 scontrol update NodeName="$node" State=DRAIN Reason="gpucal: $PROBLEM"
    elif [ -z "$PROBLEM" ] && ((!BLIND)) && [[ $STATE = *DRAIN* && $REASON = gpucal:* ]] &&
        [ "${GPUCAL_RESUME:-yes}" = yes ]; then
        note "resumed: it was drained for '$REASON'"
        timeout 5 scontrol update NodeName="$node" State=RESUME
    fi
}

main
exit 0
