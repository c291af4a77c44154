import { expect, test } from "vitest";
import { z } from "zod/mini";
import { InvalidResponseError } from "../../../src/errors/connection-errors.js";
import { parseData } from "../../../src/http/client.js";
import type { Call } from "../../../src/http/context.js";
import { createContext } from "../../support/context.js";
import { createResponse } from "../../support/response.js";

const CALL: Call = { method: "GET", path: "/", kind: "account", purpose: "read the balance" };
const SCHEMA = z.object({ total: z.number(), frozen: z.object({ credits: z.number() }) });

function parse(text: string, schema: z.ZodMiniType = SCHEMA) {
  return parseData(createContext(), CALL, createResponse(200, text), schema);
}

function issuesOf(text: string, schema?: z.ZodMiniType) {
  try {
    parse(text, schema);
  } catch (error) {
    if (error instanceof InvalidResponseError) return error;
  }
  throw new Error("Expected an InvalidResponseError.");
}

test("the data is what the contract requires, and more", () => {
  expect(parse('{"code":200,"data":{"total":1,"frozen":{"credits":2}}}')).toEqual({
    total: 1,
    frozen: { credits: 2 },
  });
});

test.each(["", "<h1>no</h1>", "null", "7", '"data"', "{}", '{"code":200}'])(
  "an answer that holds no data is at fault as a whole: %j",
  (text) => {
    // Even where everything would do.
    for (const schema of [SCHEMA, z.unknown()]) {
      const { issues, message } = issuesOf(text, schema);
      expect(issues).toEqual([{ path: "", message: expect.any(String) }]);
      expect(message).toContain("contract: `body` is ");
    }
  },
);

test("what breaks the contract is named by its path, one after the other", () => {
  const { issues, message } = issuesOf('{"data":{"total":"1","frozen":{}}}');
  expect(issues.map(({ path }) => path)).toEqual(["data.total", "data.frozen.credits"]);
  expect(message).toMatch(
    /contract: `data\.total` [^;`]+; `data\.frozen\.credits` [^;`]+ \(request id request-1\)$/,
  );
});
