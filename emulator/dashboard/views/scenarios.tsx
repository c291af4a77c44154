import { useRef, useState } from "preact/hooks";
import { POLICY_FIELDS } from "../../core/policy-fields.js";
import { RANGES } from "../../core/ranges.js";
import { loadSnapshot, type Policy, RefusedError, reset, setLimits, setPolicy } from "../api.js";
import { useCall, useFields } from "../parts/calls.js";
import { Action, Field, Flag, Form, NumberField } from "../parts/controls.js";
import { Button, Problem, Section } from "../parts/display.js";
import { formatAmount, formatCount } from "../parts/format.js";
import { overview } from "../store.js";
import { FaultSection } from "./faults.js";
import { OutcomeSection } from "./outcomes.js";

/** Faults, outcomes, policy options, the rate limit, and the whole state. */
export function ScenariosView() {
  return (
    <>
      <h1>Scenarios</h1>
      <div class="columns">
        <FaultSection />
        <OutcomeSection />
      </div>
      <PolicySection />
      <div class="columns thirds">
        <LimitSection />
        <SnapshotSection />
        <ResetSection />
      </div>
    </>
  );
}

const NAMES = Object.keys(POLICY_FIELDS).filter((name): name is keyof Policy => name in POLICY_FIELDS);

const DEFAULTS = Object.fromEntries(NAMES.map((name) => [name, POLICY_FIELDS[name].default]));

/** The control plane checks which value an option has. */
const change = (changes: Record<string, unknown>) => setPolicy(changes as Partial<Policy>);

function PolicySection() {
  const { error, run } = useCall();
  const policy = overview.value?.policy;
  if (policy === undefined) return null;
  const changed = NAMES.filter((name) => policy[name] !== POLICY_FIELDS[name].default);
  const reset = `Reset ${formatAmount(changed.length, "option")}`;
  return (
    <Section
      title="Policy"
      aside={changed.length > 0 && <Action onAct={() => change(DEFAULTS)}>{reset}</Action>}
    >
      <p>The interface leaves these open. Test your application with each value.</p>
      <Problem error={error} />
      <div class="fields policy">
        {NAMES.map((name) => {
          const { choices, decides, default: standard } = POLICY_FIELDS[name];
          const values = new Map([...choices, policy[name]].map((value) => [String(value), value]));
          return (
            <Field
              key={name}
              label={name}
              hint={decides}
              value={String(policy[name])}
              of={[...values].map(([text, value]) => [text, value === standard ? `${text} (default)` : text])}
              onChange={(chosen) => void run(() => change({ [name]: values.get(chosen) }))}
            />
          );
        })}
      </div>
    </Section>
  );
}

function LimitSection() {
  const { requests = 0, window_seconds: seconds = 0 } = overview.value?.limits ?? {};
  const { values, bind } = useFields({ requests: String(requests), window_seconds: String(seconds) });
  const save = () =>
    setLimits({ requests: Number(values.requests), window_seconds: Number(values.window_seconds) });
  return (
    <Section title="Rate limit">
      <p>
        {formatAmount(requests, "request")} in {formatCount(seconds)} s for each key. The service's limit is
        120 in 60 s.
      </p>
      <Form submit="Set the limit" onSubmit={save}>
        <div class="fields">
          <NumberField label="Requests" range={RANGES.requests} {...bind("requests")} />
          <NumberField
            label="In seconds"
            range={RANGES.window_seconds}
            step="any"
            {...bind("window_seconds")}
          />
        </div>
      </Form>
    </Section>
  );
}

function SnapshotSection() {
  const { error, isBusy, run } = useCall();
  const [loaded, setLoaded] = useState<string | null>(null);
  const load = async (file: File) => {
    setLoaded(null);
    const snapshot = parseSnapshot(file.name, await file.text());
    await loadSnapshot(snapshot).catch((error: unknown) => {
      throw error instanceof RefusedError
        ? new Error(`${file.name} can't be loaded: ${error.message}`)
        : error;
    });
    setLoaded(file.name);
  };
  return (
    <Section title="Snapshot">
      <p>The whole state as a file, to continue from later. It contains the API keys of the accounts.</p>
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
          disabled={isBusy}
          aria-invalid={error === null ? undefined : true}
          aria-describedby="snapshot-problem"
          onChange={({ currentTarget }) => {
            const [file] = currentTarget.files ?? [];
            if (file !== undefined) void run(() => load(file));
            currentTarget.value = "";
          }}
        />
        <div id="snapshot-problem">
          <Problem error={error} />
        </div>
      </div>
      <output>{loaded !== null && `Loaded ${loaded}.`}</output>
    </Section>
  );
}

type Snapshot = Parameters<typeof loadSnapshot>[0];

/** The control plane checks the rest. */
function parseSnapshot(name: string, text: string): Snapshot {
  try {
    const value: Snapshot = JSON.parse(text);
    if (["version", "time", "state"].every((field) => Object.hasOwn(Object(value), field))) return value;
  } catch {}
  throw new Error(`${name} is not a snapshot of an emulator.`);
}

function ResetSection() {
  const dialog = useRef<HTMLDialogElement>(null);
  const { values, bind } = useFields({ seed: "1", credits: "1000" });
  const [isVaried, setVaried] = useState(false);
  const submit = async () => {
    await reset({
      ...(values.seed !== "" && { seed: Number(values.seed) }),
      ...(values.credits !== "" && { credits: Number(values.credits) }),
      ...(isVaried && { policy: "vary" as const }),
    });
    dialog.current?.close();
  };
  return (
    <Section title="Reset">
      <p>Deletes tasks, accounts, the log, faults and outcomes. The first key stays valid.</p>
      <Button class="danger" onClick={() => dialog.current?.showModal()}>
        Reset…
      </Button>
      <dialog ref={dialog} aria-labelledby="reset-title">
        <article>
          <h2 id="reset-title">Reset the emulator?</h2>
          <p>This deletes the whole state, except for the first key. Save a snapshot to keep it.</p>
          <Form
            submit="Reset everything"
            onSubmit={submit}
            danger
            buttons={() => (
              <Button class="secondary" onClick={() => dialog.current?.close()}>
                Cancel
              </Button>
            )}
          >
            <div class="fields">
              <NumberField
                label="Seed"
                required={false}
                range={RANGES.seed}
                hint="Of all IDs, times and songs."
                {...bind("seed")}
              />
              <NumberField label="Credits" required={false} range={RANGES.credits} {...bind("credits")} />
            </div>
            <Flag label="Draw the policy from the seed" value={isVaried} onChange={setVaried} />
          </Form>
        </article>
      </dialog>
    </Section>
  );
}
