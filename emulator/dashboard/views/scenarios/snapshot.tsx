import { useState } from "preact/hooks";
import { ask, controlPlane } from "../../client/client.js";
import { useTelling } from "../../live/use-control.js";
import { Problem, Section } from "../../parts/section.js";

export function SnapshotSection() {
  const { error, isBusy, tell } = useTelling();
  const [loaded, setLoaded] = useState<string | null>(null);
  const load = async (file: File) => {
    setLoaded(null);
    const body = parseSnapshot(file.name, await file.text());
    await ask(controlPlane.PUT("/_emulator/snapshot", { body }));
    setLoaded(file.name);
  };
  return (
    <Section title="Snapshot">
      <p>
        The whole state as a file, to go on from later. It holds the accounts' keys: keep it as you keep them.
      </p>
      <p>
        <a class="button secondary" href="/_emulator/snapshot" download="async-music-snapshot.json">
          Save a snapshot
        </a>
      </p>
      <div class="field">
        <label for="snapshot-file">Go on from a snapshot</label>
        <input
          id="snapshot-file"
          type="file"
          accept=".json,application/json"
          disabled={isBusy}
          onChange={({ currentTarget }) => {
            const [file] = currentTarget.files ?? [];
            if (file !== undefined) void tell(() => load(file));
            currentTarget.value = "";
          }}
        />
      </div>
      <Problem error={error} />
      <output>{loaded !== null && `The emulator goes on from ${loaded}.`}</output>
    </Section>
  );
}

interface Snapshot {
  version: 1;
  time: string;
  state: Record<string, unknown>;
}

/** The control plane checks the rest of it. @throws Error in words */
function parseSnapshot(name: string, text: string): Snapshot {
  const value = parseJson(text);
  if (isSnapshot(value)) return value;
  throw new Error(`${name} is no snapshot of an emulator.`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isSnapshot(value: unknown): value is Snapshot {
  return ["version", "time", "state"].every((field) => Object.hasOwn(Object(value), field));
}
