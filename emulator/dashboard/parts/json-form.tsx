import { useState } from "preact/hooks";
import { TextArea } from "./field.js";
import { Form } from "./form.js";

/** A form for what no other form offers: the JSON that the control plane takes. */
export function JsonForm(props: {
  label: string;
  example: object;
  submit: string;
  onSubmit(value: unknown): Promise<void>;
}) {
  const [text, setText] = useState(JSON.stringify(props.example));
  return (
    <details>
      <summary>{props.label}</summary>
      <Form submit={props.submit} onSubmit={async () => props.onSubmit(parse(text))}>
        <TextArea label="JSON" required rows={3} value={text} onChange={setText} />
      </Form>
    </details>
  );
}

/** @throws Error in words */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`This is no JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}
