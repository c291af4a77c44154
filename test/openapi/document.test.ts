import { describe, expect, it } from "vitest";
import { createEmulator } from "../../emulator/index.js";
import { ENDPOINTS } from "../spec/tables/endpoints.js";
import { REQUESTS } from "../spec/tables/requests/index.js";
import { fetchDocument } from "./support.js";
import { createValidator } from "./validator.js";

const document = await fetchDocument();
const validator = createValidator(document);

/** Rules that JSON Schema cannot express: which addresses are public. */
const BEYOND_SCHEMAS = "Input for `provider_a`, other task types: upload";

describe("the OpenAPI description", () => {
  it("is served to GET and HEAD without an API key, outside the rate limit", async () => {
    await using emulator = createEmulator({ limits: { requests: 1 } });
    for (const method of ["GET", "HEAD", "GET"]) {
      const response = await emulator.fetch(`${emulator.url}/openapi.json`, { method });
      expect([response.status, response.headers.get("Content-Type")]).toEqual([200, "application/json"]);
      expect(response.headers.get("X-Request-Id")).not.toBeNull();
      expect((await response.text()) === "").toBe(method === "HEAD");
    }
  });

  it("describes exactly the four endpoints, with every status", () => {
    const described = Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, { responses }]) => ({
        method: method.toUpperCase(),
        path,
        statuses: Object.keys(responses)
          .filter((status) => status !== "default")
          .map(Number),
      })),
    );
    expect(described).toEqual(
      ENDPOINTS.map(({ method, path, success, errors }) => ({
        method,
        path,
        statuses: [success, ...errors],
      })),
    );
  });

  it("describes the version of the interface", () => {
    expect(document).toMatchObject({ openapi: "3.1.0", info: { version: "1.0.0" } });
  });

  it("has valid examples", () => {
    for (const [path, operations] of Object.entries(document.paths)) {
      for (const [method, { requestBody, responses }] of Object.entries(operations)) {
        const examples = Object.values(requestBody?.content["application/json"].examples ?? {});
        expect(examples.flatMap(({ value }) => validator.requestProblems(value))).toEqual([]);
        const [status = "", answer] = Object.entries(responses).find(([each]) => each.startsWith("2")) ?? [];
        const body = answer?.content?.["application/json"].example;
        const headers = new Headers({ "X-Request-Id": "r-1" });
        expect(body).toBeDefined();
        expect(validator.answerProblems(method, path, { status: Number(status), headers, body })).toEqual([]);
      }
    }
  });
});

describe("the OpenAPI description accepts and refuses requests as the interface does", () => {
  const rows = REQUESTS.filter(
    ({ section, expected }) => expected === "accepted" || !section.startsWith(BEYOND_SCHEMAS),
  );
  it.each(rows)("$section: $name: $expected", ({ body, expected }) => {
    expect(validator.requestProblems(body).length === 0).toBe(expected === "accepted");
  });
});
