import { globSync, readFileSync } from "node:fs";
import { createEmulator } from "async-music/emulator";
import ts from "typescript";
import { describe, expect, test } from "vitest";

const LENGTH = 100_000;

/**
 * A linear search takes a few milliseconds of processor time for a text of this length, and a quadratic one more
 * than half a second. This is processor time, so a busy machine does not change the result.
 */
const MOST_CPU_MS = 200;

interface Found {
  file: string;
  /** The literal, or the whole expression that constructs it. */
  text: string;
  /** `null` for one that is constructed. */
  expression: RegExp | null;
}

/** What the regular expressions stand for that are not literals. A new one needs an entry here. */
const CONSTRUCTED: Record<string, RegExp> = {
  "new RegExp(`^${API_PREFIX}/[^?#]+$`)": /^\/api\/v1\/[^?#]+$/,
  "new RegExp(`^[A-Za-z0-9._:-]{${shortest},${longest}}$`)": /^[A-Za-z0-9._:-]{1,128}$/,
  'new RegExp(isLongSecret(secret) ? spelling : `(?<!\\\\w)${spelling}(?!\\\\w)`, "gi")':
    /(?:\u006b|%(?:25)*6b)(?:\u0065|%(?:25)*65)(?:\u0079|%(?:25)*79)/gi,
  'new RegExp(`^${path.replaceAll(".", "\\\\.").replaceAll(/\\{\\w+\\}/g, "([^/]+)")}$`)':
    /^\/([^/]+)\/art\/([^/]+)\/([^/]+)$/,
  "new RegExp(`(${API_PREFIX}/task/)[^/]+$`)": /(\/api\/v1\/task\/)[^/]+$/,
  'new RegExp(`^(.+)\\\\.(?:${[...EXTENSIONS, "txt"].join("|")})$`, "i")':
    /^(.+)\.(?:mp3|wav|flac|ogg|m4a|bin|txt)$/i,
  "new RegExp(`^${name}(\\\\.${name})?$`)": /^[a-z_][a-z\d_]{0,57}(\.[a-z_][a-z\d_]{0,57})?$/,
  'new RegExp(pattern, "g")': /a2V(?:[+-]|%(?:25)*2[Bb])|rZX(?:[/_]|%(?:25)*2[Ff])|tleQ/g,
};

const found = globSync("{src,emulator,cli}/**/*.{ts,tsx}").sort().flatMap(expressionsOf);

test("every regular expression of the sources is a literal, or is described here", () => {
  const constructed = found.filter(({ expression }) => expression === null).map(({ text }) => text);
  expect(found.length).toBeGreaterThan(50);
  expect(new Set(constructed)).toEqual(new Set(Object.keys(CONSTRUCTED)));
});

test.each(
  found.map(({ file, text, expression }) => ({ file, text, expression: expression ?? CONSTRUCTED[text] })),
)("$text in $file takes time in proportion to its text", ({ expression }) => {
  expect(slowestShape(expression ?? /(?!)/)).toBeNull();
});

describe("the shapes above reveal", () => {
  test.each([
    ["a bracket that is never closed", /\[[^\]]*\]/g],
    ["slashes that are not the last", /\/+$/],
    ["whitespace without the line break that must follow", /\s*\n\s*/g],
    ["a lookahead that reads to the end", /\B(?=(\d{3})+$)/g],
    ["a lazy part without its end", /<!--.*?-->/g],
    ["a repeated word without its end", /key=[^;]*;/g],
    ["two parts that share their text", /^\s*(.*?)\s*$/],
  ])("%s", (_, expression) => {
    expect(slowestShape(expression, 30_000, 15)).not.toBeNull();
  });
});

test("a prompt of 100,000 opening brackets makes a song with a title and audio", async () => {
  await using emulator = createEmulator();
  const before = process.cpuUsage();
  const headers = { "x-api-key": emulator.apiKey, "Content-Type": "application/json" };
  const input = { prompt: "[".repeat(LENGTH), tags: "[".repeat(LENGTH) };
  const created = await emulator.fetch(`${emulator.url}/api/v1/task`, {
    method: "POST",
    headers: { ...headers, "X-Emulator-Outcome": '{"polls":1,"clips":1,"format":"wav"}' },
    body: JSON.stringify({ model: "provider_a", task_type: "music", input }),
  });
  const { task_id: taskId } = (await created.json()).data;
  const read = await emulator.fetch(`${emulator.url}/api/v1/task/${taskId}`, { headers });
  const [clip] = (await read.json()).data.output.result;
  const audio = await emulator.fetch(clip.audio_url);
  expect(audio.status).toBe(200);
  expect(cpuMsSince(before)).toBeLessThan(10 * MOST_CPU_MS);
});

/** The first text that takes longer than it may, shortened; `null` if none does. */
function slowestShape(expression: RegExp, length = LENGTH, mostCpuMs = MOST_CPU_MS): string | null {
  for (const shape of shapesFor(expression, length)) {
    const before = process.cpuUsage();
    search(expression, shape);
    if (cpuMsSince(before) > mostCpuMs) return `${shape.slice(0, 20)}…${shape.slice(-5)}`;
  }
  return null;
}

/** As `replaceAll` searches for every match, and `test` and `exec` for the first one. */
function search(expression: RegExp, text: string): void {
  if (expression.global) text.replace(expression, "");
  else expression.exec(text);
}

function cpuMsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/**
 * Texts on which an expression that can be slow is slow: parts of its own, over and over, so that it begins to match
 * everywhere, and then an end that does not match.
 */
function* shapesFor({ source }: RegExp, length: number): Generator<string> {
  // Without a repetition that has no upper limit, each position takes a constant time.
  if (!/[*+]|\{\d+,\}/.test(source)) return;
  const repeated = (part: string) => part.repeat(Math.ceil(length / part.length));
  const parts = partsOf(source);
  for (const part of parts) {
    for (const end of ["", "\0", "!"]) yield repeated(part) + end;
    for (const other of parts) {
      if (other === part) continue;
      yield repeated(part + other);
      yield `${part}${repeated(other)}\0`;
    }
  }
}

/** Words that an expression names, and a character of each kind that it takes. */
function partsOf(source: string): readonly string[] {
  const words = source
    .replaceAll(/\\[a-z]|\[(?:\\.|[^\]])*\]|\{.*?\}|\(\?[:=!<]*/gi, "\0")
    .split(/[\0()|?*+^$]+/);
  const kinds: [RegExp, string][] = [
    [/\\s/, " "],
    [/\\d|0-9/, "1"],
    [/\\w|\\p\{L|a-z|\\S|\./i, "a"],
    [/\[\^|\./, "["],
  ];
  const characters = kinds.filter(([kind]) => kind.test(source)).map(([, character]) => character);
  const literal = words.map((word) => word.replaceAll("\\", "")).filter((word) => word !== "");
  return [...new Set([...literal, ...characters])].slice(0, 6);
}

function expressionsOf(file: string): Found[] {
  const list: Found[] = [];
  const source = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.ESNext, true);
  const visit = (node: ts.Node) => {
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf("/");
      const expression = new RegExp(node.text.slice(1, end), node.text.slice(end + 1));
      list.push({ file, text: node.text, expression });
    } else if (
      (ts.isNewExpression(node) || ts.isCallExpression(node)) &&
      node.expression.getText() === "RegExp"
    ) {
      list.push({ file, text: node.getText(), expression: null });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return list;
}
