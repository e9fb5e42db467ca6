#!/bin/bash
# Names of nodes that look like file patterns stay as they are: Slurm's commands are stand-ins
# here.
set -u
source=$(realpath "$(dirname "$0")/../..")
folder=$(mktemp -d "${TMPDIR:-/tmp}/gpucal-test.XXXXXX") || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" && mkdir bin here && touch here/n1 here/n2 || exit 1

echo 'echo "n*"' > bin/scontrol
echo ':' > bin/squeue
echo "echo \"\$*\" >> $folder/submitted" > bin/sbatch
sed -i '1i #!/bin/bash' bin/*
chmod +x bin/*
(cd here && PATH=$folder/bin:$PATH GPUCAL_SETTINGS=/nonexistent "$source/slurm/node-up.sh" 'n[1-2]')
if [ "$(wc -l < submitted)" != 1 ] || ! grep -qF -- '--nodelist=n* ' submitted; then
    echo 'FAILED: a name was taken for a pattern'
    cat submitted
    exit 1
fi
