import { API_PREFIX } from "../contract/service.js";

const TASK_PATH = new RegExp(`(${API_PREFIX}/task/)[^/]+$`);

/** The path of a request to the service, with a placeholder for the ID of a task. */
export function templateOf({ pathname }: URL): string {
  return pathname.replace(TASK_PATH, "$1{taskId}");
}

export function serverAttributes({ hostname, port, protocol }: URL) {
  return {
    "server.address": hostname.replace(/^\[(.*)\]$/, "$1"),
    "server.port": Number(port) || (protocol === "https:" ? 443 : 80),
  };
}
