import { POLICY_FIELDS } from "../../../core/policy-fields.js";
import { ask, controlPlane, type Policy } from "../../client/client.js";
import { overview } from "../../live/store.js";
import { useTelling } from "../../live/use-control.js";
import { Choice } from "../../parts/field.js";
import { Act } from "../../parts/form.js";
import { Problem, Section } from "../../parts/section.js";

const NAMES = Object.keys(POLICY_FIELDS).filter((name): name is keyof Policy => name in POLICY_FIELDS);

const DEFAULTS = Object.fromEntries(NAMES.map((name) => [name, POLICY_FIELDS[name].default]));

/** What the interface leaves open, each with what it decides. */
export function PolicySection() {
  const { error, tell } = useTelling();
  const policy = overview.value?.policy;
  if (policy === undefined) return null;
  const changed = NAMES.filter((name) => policy[name] !== POLICY_FIELDS[name].default);
  return (
    <Section
      title="Policy"
      aside={
        changed.length > 0 && (
          <Act onAct={() => change(DEFAULTS)}>
            {changed.length === 1 ? "Put 1 choice back" : `Put ${changed.length} choices back`}
          </Act>
        )
      }
    >
      <p>
        The interface leaves these open. An application that passes under every choice does not depend on what
        nobody promised.
      </p>
      <Problem error={error} />
      <div class="fields policy">
        {NAMES.map((name) => {
          const { choices, decides, default: usual } = POLICY_FIELDS[name];
          const value = String(policy[name]);
          const all = [...new Set([...choices.map(String), value])];
          return (
            <Choice
              key={name}
              label={name}
              hint={decides}
              value={value}
              of={all.map((each) => [each, each === String(usual) ? `${each} (default)` : each] as const)}
              onChange={(chosen) => {
                const asIs = [...choices].find((each) => String(each) === chosen);
                void tell(() => change({ [name]: asIs ?? Number(chosen) }));
              }}
            />
          );
        })}
      </div>
    </Section>
  );
}

async function change(changes: Record<string, unknown>): Promise<void> {
  // Which value goes with which name is the control plane's to check.
  await ask(controlPlane.PATCH("/_emulator/policy", { body: changes as Partial<Policy> }));
}
