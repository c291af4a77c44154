import { useState } from "preact/hooks";
import { type Args, call, RefusedError } from "../../api.js";
import { useCall } from "../../parts/calls.js";
import { Flag } from "../../parts/controls.js";
import { Button, Problem, Section } from "../../parts/display.js";
import { FieldsForm, OnDemand } from "../../parts/form.js";
import { overview } from "../../store.js";

export function SnapshotSection() {
  const { error, isBusy, run } = useCall();
  const [chosen, setChosen] = useState<{ name: string; snapshot: Snapshot } | null>(null);
  const [loaded, setLoaded] = useState<string | null>(null);
  const choose = async (file: File) => {
    setLoaded(null);
    setChosen(null);
    setChosen({ name: file.name, snapshot: parseSnapshot(file.name, await file.text()) });
  };
  const load = async ({ name, snapshot }: { name: string; snapshot: Snapshot }) => {
    setChosen(null);
    await call("PUT /snapshot", snapshot).catch((error: unknown) => {
      throw error instanceof RefusedError ? new Error(`${name} can't be loaded: ${error.message}`) : error;
    });
    setLoaded(name);
  };
  return (
    <Section title="Snapshot">
      <p>
        The whole state as a file, to continue from later. It contains the API keys of the accounts, but no
        headers, bodies and faults of earlier requests.
      </p>
      <p>
        <a class="button secondary" href="/_emulator/snapshot" download="async-music-snapshot.json">
          Save a snapshot
        </a>
      </p>
      <div class="field">
        <label for="snapshot-file">Load a snapshot</label>
        <input
          id="snapshot-file"
          type="file"
          accept=".json,application/json"
          aria-busy={isBusy}
          aria-invalid={error === null ? undefined : true}
          aria-describedby="snapshot-problem"
          onChange={({ currentTarget }) => {
            const [file] = currentTarget.files ?? [];
            if (file !== undefined) void run(() => choose(file));
            currentTarget.value = "";
          }}
        />
        <div id="snapshot-problem">
          <Problem error={error} />
        </div>
      </div>
      {chosen !== null && (
        <>
          <p>
            {chosen.name} replaces everything: tasks, accounts and keys, the log, rules, policy, limits and
            the time.
          </p>
          <div class="buttons">
            <Button class="danger" onClick={() => void run(() => load(chosen))}>
              Replace everything
            </Button>
            <Button class="secondary" onClick={() => setChosen(null)}>
              Cancel
            </Button>
          </div>
        </>
      )}
      <output>{loaded !== null && `Loaded ${loaded}.`}</output>
    </Section>
  );
}

type Snapshot = Args<"PUT /snapshot">[0];

/** The control plane checks the rest. */
function parseSnapshot(name: string, text: string): Snapshot {
  try {
    const value: Snapshot = JSON.parse(text);
    if (["version", "time", "state"].every((field) => Object.hasOwn(Object(value), field))) return value;
  } catch {}
  throw new Error(`${name} is not a snapshot of an emulator.`);
}

export function ResetSection() {
  return (
    <Section title="Reset">
      <p>
        Deletes tasks, accounts, the log, faults and outcomes, and sets policy, limits and the time back to
        those of the start. The first key stays valid. Save a snapshot to keep the rest.
      </p>
      <OnDemand class="danger" form={<ResetForm />}>
        Reset…
      </OnDemand>
    </Section>
  );
}

function ResetForm() {
  const { seed = 0, credits = null } = overview.value?.reset ?? {};
  const [isVaried, setVaried] = useState(false);
  const fields = [
    { name: "seed", label: "Seed", value: seed, hint: "Of all IDs, times and songs.", required: false },
    { name: "credits", label: "Credits", value: credits, required: false },
  ] as const;
  return (
    <FieldsForm
      submit="Reset everything"
      danger
      fields={credits === null ? fields.slice(0, 1) : fields}
      onSubmit={({ seed, credits = "" }) =>
        call("POST /reset", {
          ...(seed !== "" && { seed: Number(seed) }),
          ...(credits !== "" && { credits: Number(credits) }),
          ...(isVaried && { policy: "vary" as const }),
        })
      }
    >
      {credits === null && <p class="hint">The credits are those of the seed file.</p>}
      <Flag label="Draw the policy from the seed" value={isVaried} onChange={setVaried} />
    </FieldsForm>
  );
}
