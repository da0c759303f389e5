# Two network namespaces with a cable between them, keys and settings for a tunnel between them, and an end that leaves nothing. To be
# sourced after `set -euo pipefail`: `two_ends PROGRAM NAME` makes them in a folder of their own, which is the working directory then.
#
#     NAME-left   192.168.77.1 ---- cable ---- 192.168.77.2   NAME-right        10.9.0.1, 10.9.0.2 in the tunnel

running=()

stop() {
    for process in "${running[@]}"; do kill "$process" 2> /dev/null || true; done
    wait 2> /dev/null || true
    running=()
}

clean() {
    stop
    for end in left right; do ip netns del "$ends-$end" 2> /dev/null || true; done
    rm -rf "$folder"
}

two_ends() {
    ends=$2
    folder=$(mktemp -d)
    trap clean EXIT
    cd "$folder"
    umask 077
    for end in left right; do ip netns add "$ends-$end"; done
    ip link add cable netns "$ends-left" type veth peer name cable netns "$ends-right"
    ip -n "$ends-left" address add 192.168.77.1/24 dev cable
    ip -n "$ends-right" address add 192.168.77.2/24 dev cable
    for end in left right; do
        ip -n "$ends-$end" link set lo up
        ip -n "$ends-$end" link set cable up
    done
    "$1" genkey --config --out . --endpoint 192.168.77.1:51820 > /dev/null
    # As fast as the ends are: RATE=automatic finds that, and paces.
    sed -i "/^addresses/a rate = \"${RATE:-unpaced}\"" left.toml right.toml
}

# In the namespace of an end, in the background; the namespace's command becomes the program itself.
start() {
    ip netns exec "$ends-$1" "${@:2}" > /dev/null 2> "$folder/said" &
    running+=($!)
}

# What is measured on.
machine() { echo "$(nproc) cores, $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), Linux $(uname -r)"; }
