"""What `beside`, `counters` and `lines` share: an emulated link with a namespace at each end, and a tunnel over it."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

CLIENT, SERVER = "10.81.0.1", "10.81.0.2"


def machine():
    model = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    return f"{os.cpu_count()} cores, {model[1] if model else '?'}"


class Link:
    """An emulated link while it runs, and the processes at its ends."""

    def __init__(self, arqway, world, seed):
        self.program = arqway
        self.names = [f"arqway-bench-{end}-{os.getpid()}" for end in ("client", "server")]
        command = [arqway, "emulate", world, "--namespaces", ",".join(self.names), "--seed", str(seed)]
        self.emulator = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if not (first := self.emulator.stderr.readline()).startswith("emulating"):
            sys.exit(first + self.emulator.stderr.read())
        self.processes = []

    def at(self, end, *command):
        return ["ip", "netns", "exec", self.names[end], *map(str, command)]

    def run(self, end, *command):
        return subprocess.run(self.at(end, *command), capture_output=True, text=True, check=True).stdout

    def start(self, end, *command):
        self.processes.append(subprocess.Popen(self.at(end, *command), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))

    def close(self):
        for process in self.processes:
            process.terminate()
        for process in self.processes:
            process.wait()
        self.emulator.send_signal(signal.SIGINT)
        self.emulator.communicate()


def arqway(link, folder, program, first="", more=""):
    subprocess.run([program, "genkey", "--config", "--out", folder, "--endpoint", f"{SERVER}:51820"], check=True, capture_output=True)
    for end, name in enumerate(("right", "left")):
        settings = folder / f"{name}.toml"
        settings.write_text(first + settings.read_text() + more)
        link.start(end, program, "up", settings)
    return "10.9.0.1", "10.9.0.1"
