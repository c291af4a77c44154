import type { ComponentChildren } from "preact";
import { Code } from "./display.js";

/** A text with its JSON indented and highlighted; any other text as it is. */
export function Json({ text, label }: { text: string; label: string }) {
  const value = parsed(text);
  if (value === undefined) return <Code text={text} label={label} />;
  const json = JSON.stringify(value, null, 2);
  return (
    <Code text={json} label={label}>
      {highlighted(json)}
    </Code>
  );
}

/** `undefined` for a text that is no JSON. */
export function parsed(text: string | null): unknown {
  try {
    return JSON.parse(text ?? "");
  } catch {
    return undefined;
  }
}

/** A string, with the colon of a name; a literal; or a number. */
const TOKEN = /("(?:[^"\\]|\\.)*")(:?)|\b(?:true|false|null)\b|-?\d[\d.eE+-]*/g;

function highlighted(json: string): ComponentChildren[] {
  const parts: ComponentChildren[] = [];
  let end = 0;
  for (const { 0: token, 1: string, 2: colon, index } of json.matchAll(TOKEN)) {
    const kind = string === undefined ? "literal" : colon === ":" ? "name" : "string";
    parts.push(json.slice(end, index), <span class={`json-${kind}`}>{whole(string ?? token)}</span>, colon);
    end = index + token.length;
  }
  return [...parts, json.slice(end)];
}

/** A sentence, in which a text between backticks is code. */
export function withCode(text: string): ComponentChildren {
  return text.split("`").map((part, index) => (index % 2 === 0 ? whole(part) : <code>{part}</code>));
}

const UUID = /([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/i;

/** A line never breaks within an ID. */
export function whole(text: string): ComponentChildren {
  const parts = text.split(UUID);
  if (parts.length === 1) return text;
  return parts.map((part, index) => (index % 2 === 0 ? part : <span class="whole">{part}</span>));
}
