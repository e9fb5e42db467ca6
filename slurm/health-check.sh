#!/bin/bash
# health-check.sh: drains a node whose devices are missing or have become slower.  In slurm.conf:
#
#   HealthCheckProgram=/usr/local/share/gpucal/slurm/health-check.sh
#   HealthCheckInterval=300
#   HealthCheckNodeState=IDLE
#
# The node is drained, with a reason that begins with "gpucal:", if 'gpucal health' says that it
# fails: a published device is missing, OpenCL does not answer, 'gpucal audit' has confirmed a
# drift beyond the limit of the configuration, or, with GPUCAL_REQUIRE=yes, it is not calibrated.
# Warnings go to the system log only, as of a calibration older than GPUCAL_MAX_AGE days.  So does
# what keeps it from looking, such as a store that is not mounted, or a gpucal that does not start:
# nothing is drained, and nothing resumed.
#
# A node that is already drained is not changed.  Once all is well again, as after a repair and
# a new calibration, a node that this script drained is resumed, unless GPUCAL_RESUME=no.
# Settings: /etc/gpucal/slurm.env (see slurm.env.example).
#
# It ends within 55 s; Slurm kills it after 60.
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

# Set PROBLEM to the node's problem, or leave it empty; BLIND, if it could not look.
check_node() {
    local said status options=()

    [ "${GPUCAL_REQUIRE:-no}" = yes ] && options+=(--require)
    [ -n "${GPUCAL_MAX_AGE:-}" ] && options+=(--max-age "$GPUCAL_MAX_AGE")
    said=$(SLURMD_NODENAME=$node timeout -k 1 40 "${GPUCAL:-gpucal}" health "${options[@]}" 2> /dev/null)
    status=$?
    said=${said#"$node: "}
    case $status in
    0) ;;
    2) note "$said" ;;
    3) PROBLEM=${said#failure: } ;;
    1) note "${said:-it could not look}" && BLIND=1 ;;
    *) note "'gpucal health' ended with $status" && BLIND=1 ;;
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
    check_node
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
