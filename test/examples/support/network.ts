import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";

/** Why this machine cannot run containers, or `null`. */
export function missingForContainers(): string | null {
  const isMissing = (tool: string) => spawnSync("sh", ["-c", `command -v ${tool}`]).status !== 0;
  const missing = ["ip", "nsenter", "tini", "unshare"].filter(isMissing);
  if (missing.length > 0) return `needs ${missing.join(", ")}, of Debian's iproute2, tini and util-linux`;
  const attempt = ["--net", "--mount", "--pid", "--fork", "ip", "link", "add", "probe", "type", "bridge"];
  const { status, stderr } = spawnSync("unshare", attempt, { encoding: "utf8" });
  return status === 0 ? null : `needs the privilege to create network namespaces: ${stderr.trim()}`;
}

export interface Ended {
  status: number | null;
  stdout: string;
  stderr: string;
}

export interface Command {
  args: readonly string[];
  folder?: string;
  env?: Readonly<Record<string, string>>;
}

export interface Network {
  /** Runs a command in the network of a container, as `docker exec`. */
  run(container: string, command: Command): Promise<Ended>;
  /** Runs a command as the first process of a container. `stop` sends it SIGTERM, as `docker stop`. */
  start(container: string, command: Command): { ended: Promise<Ended>; stop(): void };
  close(): Promise<void>;
}

/** Gives each container a network namespace with the address 10.0.0.2, 10.0.0.3 and so on, behind one bridge. */
const CREATE_NETWORK = `
mount -t tmpfs none /run
ip link add bridge type bridge
ip link set bridge up
number=1
for name; do
  number=$((number + 1))
  ip netns add "$name"
  ip link add "to-$name" type veth peer name eth0 netns "$name"
  ip link set "to-$name" master bridge up
  ip -n "$name" link set lo up
  ip -n "$name" addr add "10.0.0.$number/24" dev eth0
  ip -n "$name" link set eth0 up
done
echo ready
exec cat`;

const RUN = 'mount --bind "$1" /etc/hosts; cd "$2"; shift 2; exec "$@"';

/**
 * Creates containers without Docker: Linux namespaces for network, processes and `/etc/hosts`. All of it is in namespaces
 * of its own, and ends with the network.
 *
 * @param folder - For the hosts file, which has each container's name.
 * @param aliases - Further host names of containers.
 */
export async function createNetwork(
  folder: string,
  containers: readonly string[],
  aliases: Readonly<Record<string, string>>,
): Promise<Network> {
  const root = spawn("unshare", ["--net", "--mount", "sh", "-euc", CREATE_NETWORK, "sh", ...containers], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  await Promise.race([
    once(root.stdout, "data"),
    once(root, "exit").then(() => Promise.reject(root.exitCode)),
  ]);
  const hosts = join(folder, "hosts");
  const addressOf = (container: string) => `10.0.0.${containers.indexOf(container) + 2}`;
  const names = [...containers.map((name) => [name, name] as const), ...Object.entries(aliases)];
  const lines = names.map(([name, container]) => `${addressOf(container)} ${name}\n`);
  await writeFile(hosts, ["127.0.0.1 localhost\n", ...lines].join(""));

  const processes = new Set<ChildProcess>();
  const enter = (container: string, namespaces: readonly string[], command: Command) => {
    const { args, folder: cwd = folder, env = {} } = command;
    const inNetwork = ["--target", `${root.pid}`, "--net", "--mount", "ip", "netns", "exec", container];
    const inContainer = ["unshare", "--mount", ...namespaces, "sh", "-euc", RUN, "sh", hosts, cwd, ...args];
    const child = spawn("nsenter", [...inNetwork, ...inContainer], {
      // Without npm's variables, which would lead npx to this repository.
      env: { PATH: process.env["PATH"], HOME: folder, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    processes.add(child);
    const exit = once(child, "exit");
    const ended = Promise.all([exit, text(child.stdout), text(child.stderr)]).then(
      ([[status], stdout, stderr]) => ({ status, stdout, stderr }),
    );
    return { child, ended };
  };
  return {
    run: (container, command) => enter(container, [], command).ended,
    start(container, command) {
      const namespaces = ["--pid", "--fork", "--kill-child", "--mount-proc"];
      const { child, ended } = enter(container, namespaces, command);
      const children = `/proc/${child.pid}/task/${child.pid}/children`;
      return { ended, stop: () => void process.kill(Number(readFileSync(children, "utf8")), "SIGTERM") };
    },
    async close() {
      for (const child of processes) child.kill("SIGKILL");
      const exit = once(root, "exit");
      root.stdin.end();
      await exit;
    },
  };
}
