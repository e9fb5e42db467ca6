#!/bin/bash
# node-up.sh: calibrates nodes that return to service, if something has changed.  Set up once,
# as SlurmUser or root:
#
#   strigger --set --node --up --flags=PERM --program=/usr/local/share/gpucal/slurm/node-up.sh
#
# Slurm runs it on the controller with the list of nodes, within about 15 s after they are up.
# It submits calibrate-node.sbatch for each, unless such a job is pending.  Settings:
# /etc/gpucal/slurm.env (see slurm.env.example).
set -uf # no file patterns: names and features are words
export PATH=$PATH:/usr/local/bin:/usr/bin:/bin

settings=${GPUCAL_SETTINGS:-/etc/gpucal/slurm.env}
if [ -r "$settings" ]; then
    set -a
    # shellcheck source=slurm/slurm.env.example
    . "$settings"
    set +a
fi
here=$(dirname "$(readlink -f "$0")")

submit() { # NODE
    [ -z "$(squeue -h -n "gpucal-$1" -t pending -o %i)" ] || return 0
    sbatch --parsable --job-name="gpucal-$1" --nodelist="$1" \
        --chdir="${GPUCAL_LOGS:-/var/log/gpucal}" "$here/calibrate-node.sbatch"
}

status=0
for node in $(scontrol show hostnames "${1:?which nodes?}"); do
    submit "$node" || {
        logger -t gpucal "$node: calibration job not submitted" 2> /dev/null
        status=1
    }
done
exit $status
