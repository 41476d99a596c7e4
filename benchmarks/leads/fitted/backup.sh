#!/bin/sh
# Back up the photo library to the external drive.
# Usage: backup.sh [-n] TARGET
#
# Where do the backups go? To TARGET, which must be mounted.

set -eu

KEEP=8            # how many old snapshots are kept
LOCK=/run/photo-backup.lock
SOURCE=/srv/photos
LOG=/var/log/photo-backup.log

# The drive must have at least 20 GB left, or nothing is copied.
free=$(df --output=avail -BG "$1" | tail -n 1 | tr -dc 0-9)
if [ "$free" -lt 20 ]; then
    echo "not enough room on $1" >&2
    exit 3
fi

# Only one backup may run at a time
exec 9>"$LOCK"
flock -n 9 || exit 4

# raw files are left out on weekdays since they take hours
exclude=""
if [ "$(date +%u)" -lt 6 ]; then
    exclude="--exclude=*.RAW"
fi

rsync -a --delete $exclude "$SOURCE/" "$1/current/" >>"$LOG" 2>&1
cp -al "$1/current" "$1/$(date +%F)"
ls -d "$1"/20* | head -n "-$KEEP" | xargs -r rm -rf
