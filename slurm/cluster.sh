#!/bin/bash
# cluster.sh: a private, throw-away Slurm cluster of virtual nodes on this machine.
#
#   cluster.sh start [OPTIONS]             start it and wait until every node is idle
#   cluster.sh run   [-d DIR] COMMAND...   run COMMAND on it; its exit status
#   cluster.sh env   [-d DIR]              print its environment, to be used with eval
#   cluster.sh stop  [-d DIR] [-k]         cancel the jobs, end the daemons, remove DIR
#   cluster.sh with  [OPTIONS] COMMAND...  start, run and stop in one, on a signal too
#
#   -n NODES  virtual nodes n0, n1, ... (default 2), each pinned to one core of its own
#             as long as there are cores, and beginning again at the first after that
#   -d DIR    where everything of the cluster is kept (default: a folder in TMPDIR)
#   -m MODE   ns: a host name and a /dev/shm of its own for each node (needs root or user
#             namespaces); plain: nodes share both; auto, the default: ns where allowed
#   -x FILE   lines that slurm.conf gets at its end; @DIR@ in them stands for DIR
#   -f FILE   a file for slurm.conf's folder, such as plugstack.conf; @DIR@ likewise; may be
#             repeated
#   -k        keep DIR with its logs when stopping
#
# The daemons are the real munged, slurmctld and slurmd, on unprivileged ports; neither
# root nor systemd, /etc/slurm or /etc/munge are needed.  Packages of Debian 12:
# slurmctld slurmd slurm-client slurm-wlm-basic-plugins munge libpmix-dev (Slurm's PMIx
# plugin opens the unversioned libpmix.so, which only the last one has).
set -u
export LC_ALL=C # numbers with points, words in English
PATH=$PATH:/usr/sbin:/sbin

say() { echo "cluster.sh: $*" >&2; }
die() {
    say "$*"
    exit 1
}

# A pid is signalled only if its start time is the recorded one, so that no later process with
# the same number is hit.  A zombie counts as gone.
start_time() { # PID
    local stat fields
    { stat=$(< "/proc/$1/stat"); } 2> /dev/null || return 1
    read -ra fields <<< "${stat##*) }"
    [ "${fields[0]}" != Z ] && echo "${fields[19]}"
}

is_alive() { # PID START_TIME
    [ -n "$2" ] && [ "$(start_time "$1")" = "$2" ]
}

send() { # SIGNAL PID START_TIME
    is_alive "$2" "$3" && kill "-$1" "$2" 2> /dev/null
}

wait_until() { # SECONDS CONDITION...: polls, and fails when the time is over
    local polls=$(($1 * 25))
    shift
    until "$@"; do
        ((polls-- > 0)) || return 1
        sleep 0.04
    done
}

# Daemons: each is recorded as "PID START_TIME" in DIR/pids/NAME.

spawn() { # NAME COMMAND...
    local name=$1
    shift
    GPUCAL_CLUSTER_MARK=$DIR setsid "$@" < /dev/null > "$DIR/log/$name.out" 2>&1 &
    echo "$! $(start_time $!)" > "$DIR/pids/$name"
}

signal_daemon() { # SIGNAL NAME; signal 0 asks whether it runs
    local pid start
    { read -r pid start < "$DIR/pids/$2"; } 2> /dev/null || return 1
    send "$1" "$pid" "$start"
}

is_gone() { # NAME
    ! signal_daemon 0 "$1"
}

end_daemons() { # NAME...: TERM to all, then KILL to those that stay
    local name
    for name; do signal_daemon TERM "$name"; done
    for name; do
        wait_until 5 is_gone "$name" && continue
        say "$name ignored SIGTERM: SIGKILL"
        signal_daemon KILL "$name"
    done
}

# Remaining processes of job steps: slurmstepds carry SLURM_CONF (and the mark that slurmd was
# given, unless their title has overwritten it), their tasks SLURM_CONF and SLURMD_NODENAME
# together.  A user's shell has SLURM_CONF alone.
list_steps() {
    local environ
    grep -lzxF "SLURM_CONF=$DIR/etc/slurm.conf" /proc/[0-9]*/environ |
        while read -r environ; do
            grep -qx slurmstepd "${environ%environ}comm" ||
                grep -qz '^SLURMD_NODENAME=' "$environ" && echo "$environ"
        done
}

list_strays() {
    local pid start
    {
        grep -lzxF "GPUCAL_CLUSTER_MARK=$DIR" /proc/[0-9]*/environ
        list_steps
    } 2> /dev/null | sort -u | while IFS=/ read -r _ _ pid _; do
        # munged carries the mark as well, but is still needed
        start=$(start_time "$pid") && ! grep -qx "$pid $start" "$DIR/pids/munged" &&
            echo "$pid $start"
    done
}

no_strays() {
    [ -z "$(list_strays)" ]
}

end_strays() {
    local signal pid start
    for signal in TERM KILL; do
        list_strays | while read -r pid start; do send "$signal" "$pid" "$start"; done
        wait_until 2 no_strays && return
    done
}

# Starting, in the order munged, slurmctld, slurmd: a slurmd that finds no slurmctld
# waits a second before it tries again.

check_packages() {
    local tool
    for tool in munged slurmctld slurmd sinfo; do
        command -v "$tool" > /dev/null ||
            die "$tool is missing; scripts/install-deps.sh --test installs it"
    done
}

make_folder() {
    [ ! -e "$DIR/pids" ] || die "$DIR is in use: stop that cluster first"
    umask 022
    mkdir -p "$DIR" || die "cannot make $DIR"
    DIR=$(cd "$DIR" && pwd -P)
    ((${#DIR} <= 70)) || die "$DIR is too long for the path of a socket: use -d"
    mkdir "$DIR"/{etc,state,log,munge,spool,tmp,pids} || die "$DIR is not empty"
    chmod 711 "$DIR" "$DIR/munge" # munged wants its socket to be within everyone's reach
}

# The namespaces a node gets; a plain user needs a user namespace to make them, keeps its
# own uid there and drops the capabilities again before slurmd starts (see spawn_node).
choose_mode() { # auto | ns | plain
    local probe='hostname probe && mount -t tmpfs tmpfs /dev/shm'
    local as_user=(unshare --map-current-user --keep-caps --uts --mount)

    UNSHARE=() DROP_CAPS=()
    if [ "$1" = plain ]; then
        :
    elif unshare --uts --mount sh -c "$probe" 2> /dev/null; then
        UNSHARE=(unshare --uts --mount)
    elif "${as_user[@]}" sh -c "$probe" 2> /dev/null; then
        UNSHARE=("${as_user[@]}")
        DROP_CAPS=(setpriv --ambient-caps=-all --inh-caps=-all)
    elif [ "$1" = ns ]; then
        die "host name and mount namespaces are not allowed here: use -m plain"
    fi
    if ((${#UNSHARE[@]})); then MODE=ns; else MODE=plain; fi
    echo "$MODE" > "$DIR/mode"
}

port_is_open() { # PORT
    (exec 3<> "/dev/tcp/127.0.0.1/$1") 2> /dev/null
}

# Sets PORT to the first of NODES + 1 neighbours below the range of outgoing connections.
pick_ports() {
    local try i
    for ((try = 0; try < 50; try++)); do
        PORT=$((20000 + RANDOM % 10000))
        for ((i = 0; i <= NODES; i++)); do
            port_is_open $((PORT + i)) && continue 2
        done
        return 0
    done
    die "no $((NODES + 1)) free ports in a row between 20000 and 30000"
}

start_munged() {
    local socket=$DIR/munge/munge.sock

    (umask 077 && head -c 128 /dev/urandom > "$DIR/munge/munge.key")
    spawn munged munged -F --num-threads=4 --socket="$socket" \
        --key-file="$DIR/munge/munge.key" --seed-file="$DIR/munge/seed" \
        --pid-file="$DIR/munge/munged.pid" --log-file="$DIR/log/munged.log"
    wait_until 5 test -S "$socket" || die "munged did not start: $(< "$DIR/log/munged.out")"
}

# One core a node, whole nodes only by choice of the job; PMIx as srun's default, and a
# rank's death left to the program.  In plain mode all nodes have this host's name.
write_slurm_conf() {
    local host user i same_host=''

    user=$(id -un)
    host=$(uname -n)
    host=${host%%.*}
    [ "$MODE" = ns ] || same_host="NodeHostname=$host"
    cat << END
ClusterName=gpucal
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$PORT
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket=$DIR/munge/munge.sock
StateSaveLocation=$DIR/state
SlurmdSpoolDir=$DIR/spool/%n
TmpFS=$DIR/tmp/%n
SlurmctldPidFile=$DIR/log/slurmctld.pid
SlurmdPidFile=$DIR/log/slurmd.%n.pid
SlurmctldLogFile=$DIR/log/slurmctld.log
SlurmdLogFile=$DIR/log/slurmd.%n.log
MailProg=/bin/true
ProctrackType=proctrack/pgid
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=batch_sched_delay=0,sched_interval=1,bf_interval=1
MpiDefault=pmix
KillOnBadExit=0
KillWait=2
WaitTime=0
ReturnToService=2
SlurmdParameters=config_overrides
END
    for ((i = 0; i < NODES; i++)); do
        echo "NodeName=n$i $same_host NodeAddr=127.0.0.1 Port=$((PORT + 1 + i)) CPUs=1"
    done
    echo "PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP"
}

fill_in() { # FILE: with DIR's name
    sed "s|@DIR@|$DIR|g" "$1" || die "cannot read $1"
}

# Slurm looks for these two beside slurm.conf.  cgroup: the automatic choice stops slurmd
# where /sys/fs/cgroup is not mounted, as in a container.  mpi: with the default fence 4% of
# the programs of eight ranks crashed in MPI_Init, with this one none in 800.
write_config() {
    local file

    write_slurm_conf > "$DIR/etc/slurm.conf"
    [ -z "$LINES_FILE" ] || fill_in "$LINES_FILE" >> "$DIR/etc/slurm.conf"
    for file in ${FILES[@]+"${FILES[@]}"}; do
        fill_in "$file" > "$DIR/etc/${file##*/}"
        chmod --reference="$file" "$DIR/etc/${file##*/}"
    done
    echo "CgroupPlugin=cgroup/v1" > "$DIR/etc/cgroup.conf"
    echo "PMIxCollFence=tree" > "$DIR/etc/mpi.conf"
}

allowed_cores() { # as numbers, such as 0 1 2 3 8
    local range
    awk '/^Cpus_allowed_list/ { gsub(",", "\n", $2); print $2 }' /proc/self/status |
        while read -r range; do seq "${range%-*}" "${range#*-}"; done
}

spawn_node() { # NAME CORE
    local command=(taskset -c "$2")

    mkdir -p "$DIR/spool/$1" "$DIR/tmp/$1"
    chmod 1777 "$DIR/tmp/$1"
    if [ "$MODE" = ns ]; then
        # shellcheck disable=SC2016
        command+=("${UNSHARE[@]}" sh -c
            'hostname "$0" && mount -t tmpfs tmpfs /dev/shm && exec "$@"' "$1"
            ${DROP_CAPS[@]+"${DROP_CAPS[@]}"})
    fi
    spawn "slurmd.$1" "${command[@]}" slurmd -D -N "$1"
}

start_daemons() {
    local i cores

    mapfile -t cores < <(allowed_cores)
    start_munged
    spawn slurmctld slurmctld -D -c
    wait_until 10 port_is_open "$PORT"
    for ((i = 0; i < NODES; i++)); do
        spawn_node "n$i" "${cores[i % ${#cores[@]}]}"
    done
}

all_idle_or_one_gone() {
    local pids name
    [ "$(count_idle)" = "$NODES" ] && return 0
    for pids in "$DIR"/pids/*; do
        name=${pids##*/}
        is_gone "$name" && return 0
    done
    return 1
}

count_idle() {
    timeout 5 sinfo -h -N -o %t 2> /dev/null | grep -cx idle
}

start_cluster() {
    check_packages
    make_folder
    arm_traps
    choose_mode "$MODE"
    pick_ports
    write_config
    load_environment
    start_daemons
    wait_until 20 all_idle_or_one_gone
    if [ "$(count_idle)" != "$NODES" ]; then
        timeout 5 sinfo -N -o '%N %T %E' >&2
        tail -n 5 "$DIR"/log/*.out "$DIR"/log/*.log >&2
        die "the $NODES nodes did not all become idle"
    fi
    say "$NODES nodes idle, mode $MODE, ports $PORT to $((PORT + NODES)), in $DIR"
}

# Using it.

# lo is named because Open MPI leaves it out by itself; where all nodes have the same host
# name and /dev/shm, Open MPI's shared-memory files of two nodes would be the same ones.
# The device of PoCL without threads is one core of a node, as the slurmd is pinned to it.
print_environment() {
    local name transports=self,vader,tcp

    [ "$(< "$DIR/mode")" = ns ] || transports=self,tcp
    for name in $(compgen -e SLURM_); do # of a job that this may run in
        echo "unset $name"
    done
    echo "export SLURM_CONF='$DIR/etc/slurm.conf'"
    echo "export OMPI_MCA_btl_tcp_if_include=lo OMPI_MCA_oob_tcp_if_include=lo"
    echo "export OMPI_MCA_btl=$transports"
    echo "export POCL_DEVICES=basic"
}

load_environment() {
    eval "$(print_environment)"
}

need_cluster() {
    signal_daemon 0 slurmctld || die "no cluster runs in $DIR"
    DIR=$(cd "$DIR" && pwd -P)
}

# COMMAND gets a process group of its own, so that a signal to this script reaches all of it.
run_guarded() { # COMMAND...
    [ ! -t 0 ] || exec < /dev/null # another group than the terminal's must not read it
    set -m
    "$@" <&0 &
    CHILD=$!
    set +m
    wait "$CHILD"
    local status=$?
    CHILD=
    return "$status"
}

# Stopping.

arm_traps() {
    trap 'stop_cluster' EXIT
    trap 'exit 129' HUP
    trap 'exit 130' INT
    trap 'exit 143' TERM
}

no_jobs() {
    [ -z "$(timeout 5 squeue -h -o %A 2> /dev/null)" ]
}

cancel_jobs() {
    signal_daemon 0 slurmctld && signal_daemon 0 munged || return 0
    no_jobs && return
    timeout 10 scancel --user="$(id -un)" 2> /dev/null
    wait_until 6 no_jobs
}

# slurmctld goes before the slurmds: without them it would wait for their answers.
stop_cluster() {
    local nodes

    trap '' HUP INT TERM
    trap - EXIT
    [ -z "${CHILD:-}" ] || kill -TERM -- "-$CHILD" 2> /dev/null
    nodes=$(cd "$DIR/pids" && ls -d slurmd.* 2> /dev/null)
    export SLURM_CONF=$DIR/etc/slurm.conf
    cancel_jobs
    end_daemons slurmctld
    # shellcheck disable=SC2086
    end_daemons $nodes
    end_strays
    # an srun without its slurmctld would keep retrying
    [ -z "${CHILD:-}" ] || kill -KILL -- "-$CHILD" 2> /dev/null
    end_daemons munged
    if ((KEEP)); then
        rm -rf "$DIR/pids"
        say "stopped; logs are in $DIR/log"
    else
        rm -rf "$DIR"
        say "stopped"
    fi
}

print_help() {
    sed -n '2,/^set -u/s/^# \{0,1\}//p' "$0"
}

parse_options() {
    local option
    NODES=2 MODE=auto KEEP=0 DIR='' LINES_FILE='' FILES=() OPTIND=1
    while getopts :n:d:m:x:f:k option; do
        case $option in
        n) NODES=$OPTARG ;;
        d) DIR=$OPTARG ;;
        m) MODE=$OPTARG ;;
        x) LINES_FILE=$OPTARG ;;
        f) FILES+=("$OPTARG") ;;
        k) KEEP=1 ;;
        *) die "unknown option or missing value: -$OPTARG (see --help)" ;;
        esac
    done
    [[ $NODES =~ ^[1-9][0-9]{0,2}$ ]] || die "-n needs a number of nodes, not '$NODES'"
    [[ $MODE =~ ^(auto|ns|plain)$ ]] || die "-m needs auto, ns or plain, not '$MODE'"
}

main() {
    local verb=${1:-} shared_dir=${TMPDIR:-/tmp}/gpucal-cluster.$UID

    case $verb in
    start | run | env | stop | with) ;;
    -h | --help | help) print_help && exit 0 ;;
    *) print_help >&2 && exit 1 ;;
    esac
    shift
    parse_options "$@"
    shift $((OPTIND - 1))
    case $verb in
    run | with) [ $# -gt 0 ] || die "$verb needs a command" ;;
    *) [ $# = 0 ] || die "unexpected argument '$1' (see --help)" ;;
    esac
    if [ "$verb" = with ] && [ -z "$DIR" ]; then
        DIR=$(mktemp -d "${TMPDIR:-/tmp}/gpucal-cluster.XXXXXX") || exit 1
    fi
    DIR=${DIR:-$shared_dir}

    case $verb in
    start) start_cluster && trap - EXIT ;;
    with) start_cluster && run_guarded "$@" ;;
    run) need_cluster && load_environment && "$@" ;;
    env) need_cluster && print_environment ;;
    stop) [ ! -d "$DIR/pids" ] || { DIR=$(cd "$DIR" && pwd -P) && stop_cluster; } ;;
    esac
}

main "$@"
