import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { SONG } from "./songs.ts";

/** A request to a server, the same every time. */
export interface Question {
  method: "GET" | "POST";
  path: string;
  headers: Record<string, string>;
  body?: string;
}

/** An emulator that is started by a command and listens on a port. */
export interface Service {
  command(port: number): { file: string; parameters: string[]; env?: Record<string, string> };
  /** Creates the data that the requests read. */
  questions(url: string): Promise<Record<"read" | "create", Question>>;
}

const installed = (path: string) => fileURLToPath(new URL(`peers/node_modules/${path}`, import.meta.url));
const built = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

const API_KEY = "emu_bench";
const PLENTY = 1_000_000_000;

/** The emulator of a built clone, with all its rules. */
export function emulatorOf(directory: string): Service {
  return {
    command: (port) => ({
      file: join(directory, "dist/cli.js"),
      parameters: ["emulator", "--port", `${port}`, "--api-key", API_KEY, "--credits", `${PLENTY}`],
    }),
    async questions(url) {
      const json = { "Content-Type": "application/json" };
      await call(url, {
        method: "PATCH",
        path: "/_emulator/limits",
        headers: json,
        body: JSON.stringify({ requests: PLENTY }),
      });
      const create = songQuestion();
      // The task that is read does not finish during the measurement.
      const hanging = { ...create.headers, "X-Emulator-Outcome": '{"outcome":"hang"}' };
      const { data } = JSON.parse(await call(url, { ...create, headers: hanging }));
      return { create, read: taskQuestion(data.task_id) };
    },
  };
}

/** This package's emulator, and published emulators of other services. */
export const SERVICES: Readonly<Record<string, Service>> = {
  "async-music": emulatorOf(built(".")),

  "stripe-stateful-mock": {
    command: (port) => ({
      file: installed("stripe-stateful-mock/dist/cli.js"),
      parameters: [],
      env: { PORT: `${port}`, LOG_LEVEL: "silent" },
    }),
    async questions(url) {
      const headers = { Authorization: "Bearer sk_test_bench" };
      const create: Question = {
        method: "POST",
        path: "/v1/customers",
        headers: { ...headers, "Content-Type": "application/x-www-form-urlencoded" },
        body: "description=rain+in+Lisbon&email=rain%40lisbon.example",
      };
      const { id } = JSON.parse(await call(url, create));
      return { create, read: { method: "GET", path: `/v1/customers/${id}`, headers } };
    },
  },

  dynalite: {
    command: (port) => ({
      file: installed("dynalite/cli.js"),
      parameters: ["--port", `${port}`, "--createTableMs", "0"],
    }),
    async questions(url) {
      const key = { AttributeName: "id", AttributeType: "S" };
      await call(
        url,
        dynamoQuestion("CreateTable", {
          TableName: "songs",
          AttributeDefinitions: [key],
          KeySchema: [{ AttributeName: "id", KeyType: "HASH" }],
          BillingMode: "PAY_PER_REQUEST",
        }),
      );
      await new Promise((resolve) => setTimeout(resolve, 500));
      const item = { id: { S: "one" }, title: { S: "rain in Lisbon" }, credits: { N: "10" } };
      return {
        create: dynamoQuestion("PutItem", { TableName: "songs", Item: item, ReturnValues: "ALL_OLD" }),
        read: dynamoQuestion("GetItem", { TableName: "songs", Key: { id: item.id } }),
      };
    },
  },

  Prism: {
    command: (port) => ({
      file: installed("@stoplight/prism-cli/dist/index.js"),
      parameters: ["mock", built("openapi.json"), "--port", `${port}`, "--verboseLevel", "silent"],
    }),
    questions: async () => ({
      create: songQuestion(),
      read: taskQuestion("5ba53ba9-9b4b-4e4c-8a30-5f2d3a6d5a2f"),
    }),
  },
};

/** Sends one request that must succeed, and returns the text of its response. */
export async function call(
  url: string,
  { path, ...init }: Omit<Question, "method"> & { method: string },
): Promise<string> {
  const response = await fetch(url + path, init);
  const text = await response.text();
  if (response.ok) return text;
  throw new Error(`${init.method} ${path} failed: ${response.status} ${text}`);
}

function songQuestion(): Question {
  const headers = { "x-api-key": API_KEY, "Content-Type": "application/json" };
  return { method: "POST", path: "/api/v1/task", headers, body: JSON.stringify(SONG) };
}

function taskQuestion(id: string): Question {
  return { method: "GET", path: `/api/v1/task/${id}`, headers: { "x-api-key": API_KEY } };
}

function dynamoQuestion(action: string, body: object): Question {
  const headers = {
    "Content-Type": "application/x-amz-json-1.0",
    "X-Amz-Target": `DynamoDB_20120810.${action}`,
    "X-Amz-Date": "20260101T000000Z",
    Authorization:
      "AWS4-HMAC-SHA256 Credential=bench/20260101/local/dynamodb/aws4_request, SignedHeaders=host, Signature=none",
  };
  return { method: "POST", path: "/", headers, body: JSON.stringify(body) };
}
