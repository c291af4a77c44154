import { useState } from "preact/hooks";
import { ask, controlPlane } from "../../client/client.js";
import { overview } from "../../live/store.js";
import { Field } from "../../parts/field.js";
import { Form } from "../../parts/form.js";
import { formatAmount, formatCount } from "../../parts/format.js";
import { Section } from "../../parts/section.js";

export function LimitSection() {
  const limits = overview.value?.limits;
  const [requests, setRequests] = useState(String(limits?.requests ?? ""));
  const [seconds, setSeconds] = useState(String(limits?.window_seconds ?? ""));
  if (limits === undefined) return null;
  const save = async () => {
    const body = { requests: Number(requests), window_seconds: Number(seconds) };
    await ask(controlPlane.PATCH("/_emulator/limits", { body }));
  };
  return (
    <Section title="Rate limit">
      <p>
        {formatAmount(limits.requests, "request")} in {formatCount(limits.window_seconds)} s for each key. The
        service's own is 120 in 60 s.
      </p>
      <Form submit="Set the limit" onSubmit={save}>
        <div class="fields">
          <Field
            label="Requests"
            type="number"
            min={1}
            step={1}
            required
            value={requests}
            onChange={setRequests}
          />
          <Field
            label="In seconds"
            type="number"
            min={0.001}
            step="any"
            required
            value={seconds}
            onChange={setSeconds}
          />
        </div>
      </Form>
    </Section>
  );
}
