import { createService, type Reply, type Service } from "./service.js";

/** A service, and its control plane as any language would call it. */
export interface ControlledService extends Service {
  /** One call below `/_emulator`: a body that is given is sent as JSON. */
  control(method: string, path: string, body?: unknown): Promise<Reply>;
  /** The whole state, as text: what is the same in two of them has not changed. */
  frozenState(): string;
}

export function createControlled(...options: Parameters<typeof createService>): ControlledService {
  return controlled(createService(...options));
}

export function controlled(service: Service): ControlledService {
  return {
    ...service,
    control: (method, path, body) =>
      service.send(`/_emulator${path}`, {
        method,
        ...(body !== undefined && {
          headers: { "Content-Type": "application/json" },
          body: typeof body === "string" ? body : JSON.stringify(body),
        }),
      }),
    frozenState: () => JSON.stringify(service.emulator.snapshot()),
  };
}
