import { MODELS } from "../../../../src/contract/service.js";
import { messageOfThrown } from "../../../../src/contract/thrown.js";
import { call, type RuleOutcome } from "../../api.js";
import { Field, NumberField } from "../../parts/controls.js";
import { useFields } from "../../parts/fields.js";
import { FieldsForm, Form } from "../../parts/form.js";
import { ANY_FIELD } from "../../parts/validation.js";
import { choicesOf, FAULTS, OUTCOMES, outcomeNamed, REQUESTS } from "./presets.js";
import { accountName, ScopeField, scope, scoped } from "./scope.js";

const TASKS = Object.fromEntries(MODELS.map((model) => [model, `a task of ${model}`]));

/** Each outcome of a next task is a rule of its own. */
const MOST_OUTCOMES = 100;

const TIMES = { once: "once", times: "several times", every: "every time" } as const;

/**
 * One sentence to fill in. What it adds is shown as JSON, too, for everything that has no words here. The function is long because the
 * sentence, its rule and the JSON use the same fields.
 */
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
  const example = model === undefined ? rule : outcome;
  const isLasting = model !== undefined && values.often === "every";
  // The control plane checks what is added.
  const add = async (given: unknown, times = 1) => {
    if (model === undefined) await call("POST /faults", given as typeof rule);
    else if (isLasting) await call("PUT /providers/{model}/always", model, given as RuleOutcome);
    else
      for (let count = 0; count < times; count++)
        await call("POST /providers/{model}/next", model, given as RuleOutcome);
  };
  const route = model === undefined ? "/faults" : `/providers/${model}/${isLasting ? "always" : "next"}`;
  return (
    <>
      <Form
        submit={`Add for ${accountName(scope()?.account_id ?? null)}`}
        onSubmit={() => add(example, often)}
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
          {values.often === "times" && (
            <NumberField
              label="Times"
              {...bind("times")}
              {...(model !== undefined && { max: MOST_OUTCOMES })}
            />
          )}
          {values.often === "sometimes" && (
            <NumberField label="Probability" step="any" {...bind("probability")} />
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
      <details>
        <summary>
          Anything else, as JSON for <code>{`${isLasting ? "PUT" : "POST"} /_emulator${route}`}</code>
        </summary>
        <FieldsForm
          submit="Add the JSON"
          fields={[
            { name: ANY_FIELD, label: "JSON", value: JSON.stringify(example), required: true, rows: 3 },
          ]}
          onSubmit={async (values) => add(parseJson(values[ANY_FIELD]))}
        />
      </details>
    </>
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`Invalid JSON: ${messageOfThrown(error)}`);
  }
}
