import { useRef, useState } from "preact/hooks";
import { ask, controlPlane } from "../../client/client.js";
import { Field, Flag } from "../../parts/field.js";
import { Form } from "../../parts/form.js";
import { Section } from "../../parts/section.js";

export function ResetSection() {
  const dialog = useRef<HTMLDialogElement>(null);
  const [seed, setSeed] = useState("1");
  const [credits, setCredits] = useState("1000");
  const [isVaried, setVaried] = useState(false);
  const reset = async () => {
    const body = {
      ...(seed !== "" && { seed: Number(seed) }),
      ...(credits !== "" && { credits: Number(credits) }),
      ...(isVaried && { policy: "vary" as const }),
    };
    await ask(controlPlane.POST("/_emulator/reset", { body }));
    dialog.current?.close();
  };
  return (
    <Section title="Begin anew">
      <p>Tasks, accounts, the log and all that is armed are gone then. The first key stays.</p>
      <button type="button" class="danger" onClick={() => dialog.current?.showModal()}>
        Reset…
      </button>
      <dialog ref={dialog} aria-labelledby="reset-title">
        <article>
          <h2 id="reset-title">Begin anew?</h2>
          <p>
            Everything that the emulator knows is gone then, but for the first key. A snapshot would keep it.
          </p>
          <Form
            submit="Reset everything"
            onSubmit={reset}
            danger
            buttons={() => (
              <button type="button" class="secondary" onClick={() => dialog.current?.close()}>
                Keep everything
              </button>
            )}
          >
            <div class="fields">
              <Field
                label="Seed"
                type="number"
                step={1}
                hint="All ids, times and songs come from it."
                value={seed}
                onChange={setSeed}
              />
              <Field label="Credits" type="number" min={0} step={1} value={credits} onChange={setCredits} />
            </div>
            <Flag label="Draw the policy from the seed" value={isVaried} onChange={setVaried} />
          </Form>
        </article>
      </dialog>
    </Section>
  );
}
