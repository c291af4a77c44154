/** The same call in other words. */

type Request = Readonly<Record<string, unknown>>;

export function asSdkCode(request: Request, outcome: Request | null): string {
  const options =
    outcome === null ? "" : `, {\n  headers: { "X-Emulator-Outcome": ${quote(JSON.stringify(outcome))} },\n}`;
  return `import { AsyncMusic } from "async-music";

// It reads ASYNC_MUSIC_BASE_URL and ASYNC_MUSIC_API_KEY.
const client = new AsyncMusic();
const task = await client.tasks.run(${literal(request)}${options});
console.log(task.output.result);`;
}

export function asCurl(request: Request, outcome: Request | null, service: string): string {
  const lines = [
    `curl ${service}/api/v1/task`,
    `-H "x-api-key: $ASYNC_MUSIC_API_KEY"`,
    `-H "Content-Type: application/json"`,
    ...(outcome === null ? [] : [`-H ${shellQuote(`X-Emulator-Outcome: ${JSON.stringify(outcome)}`)}`]),
    `--data-binary ${shellQuote(JSON.stringify(request))}`,
  ];
  return lines.join(" \\\n  ");
}

/** JSON is a literal of the language, too; names that need no quotes are easier to read without. */
function literal(value: unknown): string {
  return JSON.stringify(value, null, 2).replaceAll(/^( *)"([a-z_]+)":/gm, "$1$2:");
}

function quote(text: string): string {
  return text.includes("'") ? JSON.stringify(text) : `'${text.replaceAll("\\", "\\\\")}'`;
}

/** One word to a shell, whatever stands in it. */
function shellQuote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
