import { MODELS } from "../../../../src/contract/service.js";
import { RANGES } from "../../../core/ranges.js";
import { addFaultRule, addNextOutcome, type RuleOutcome, setAlways } from "../../api.js";
import { Field, NumberField } from "../../parts/controls.js";
import { useFields } from "../../parts/fields.js";
import { Form, JsonForm } from "../../parts/form.js";
import { choicesOf } from "../../parts/presets.js";
import { FAULTS, REQUESTS } from "./faults.js";
import { OUTCOMES, outcomeNamed } from "./outcomes.js";
import { accountName, ScopeField, scope, scoped } from "./scope.js";

const TASKS = Object.fromEntries(MODELS.map((model) => [model, `a task of ${model}`]));

const TIMES = { once: "once", times: "several times", every: "every time" } as const;

/** One sentence to fill in. What it adds is shown as JSON, too, for everything that has no words here. */
export function RuleForm() {
  const { values, bind } = useFields({
    when: "create",
    often: "once",
    times: "3",
    probability: "0.5",
    fault: "bad-gateway",
    outcome: "moderated",
  });
  const model = MODELS.find((each) => each === values.when);
  const fault = FAULTS[values.fault]?.[1];
  if (fault === undefined) return null;
  const often = values.often === "times" ? Number(values.times) : 1;
  const limits = {
    once: {},
    times: { times: Number(values.times) },
    every: { probability: 1 },
    sometimes: { probability: Number(values.probability) },
  }[values.often];
  const rule = { ...REQUESTS[values.when]?.[1], ...limits, fault, ...scoped() };
  const outcome = { ...outcomeNamed(values.outcome), ...scoped() };
  const isLasting = model !== undefined && values.often === "every";
  const addOutcome = async (given: RuleOutcome, times = 1) => {
    if (model === undefined) return;
    if (isLasting) await setAlways(model, given);
    else for (let count = 0; count < times; count++) await addNextOutcome(model, given);
  };
  const route = model === undefined ? "/faults" : `/providers/${model}/${isLasting ? "always" : "next"}`;
  return (
    <>
      <Form
        submit={`Add for ${accountName(scope()?.account_id ?? null)}`}
        onSubmit={() => (model === undefined ? addFaultRule(rule) : addOutcome(outcome, often))}
      >
        <div class="sentence">
          When
          <Field label="Request or task" of={{ ...choicesOf(REQUESTS), ...TASKS }} {...bind("when")} />
          of
          <ScopeField />
          comes,
          <Field
            label="How often"
            of={model === undefined ? { ...TIMES, sometimes: "with probability" } : TIMES}
            {...bind("often")}
          />
          {values.often === "times" && <NumberField label="Times" range={RANGES.times} {...bind("times")} />}
          {values.often === "sometimes" && (
            <NumberField label="Probability" range={RANGES.probability} step="any" {...bind("probability")} />
          )}
          {model === undefined ? (
            <>
              respond with
              <Field label="Response" of={choicesOf(FAULTS)} {...bind("fault")} />
            </>
          ) : (
            <>
              its outcome is
              <Field label="Outcome" of={choicesOf(OUTCOMES)} {...bind("outcome")} />
            </>
          )}
        </div>
      </Form>
      <JsonForm
        label={
          <>
            Anything else, as JSON for <code>{`${isLasting ? "PUT" : "POST"} /_emulator${route}`}</code>
          </>
        }
        example={model === undefined ? rule : outcome}
        submit="Add the JSON"
        // The control plane checks it.
        onSubmit={(json) =>
          model === undefined ? addFaultRule(json as typeof rule) : addOutcome(json as RuleOutcome)
        }
      />
    </>
  );
}
