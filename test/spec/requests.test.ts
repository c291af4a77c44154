import { describe, expect, it } from "vitest";
import { InvalidRequestError, type TaskRequest } from "../../src/index.js";
import { reasonOf } from "../support/rejection.js";
import { accepted, acceptedAs } from "../support/responses.js";
import { BASE_URL, createWorld } from "../support/world.js";
import { createService, stateOf } from "./emulated-service.js";
import { misfits } from "./misfits.js";
import { statusOf } from "./tables/errors.js";
import { ERROR_BODY, SUBMISSION } from "./tables/fields.js";
import { REQUESTS } from "./tables/requests/index.js";
import type { RequestRow } from "./tables/requests/row.js";
import { OFFERS } from "./tables/service.js";

const ACCEPTED = REQUESTS.filter(({ expected }) => expected === "accepted");
const REFUSED = REQUESTS.flatMap(({ expected, ...row }) =>
  expected === "accepted" ? [] : [{ ...row, expected }],
);

describe("the tables of requests", () => {
  it("have at least 120 rows, with unique names in each section", () => {
    expect(REQUESTS.length).toBeGreaterThanOrEqual(120);
    const names = REQUESTS.map(({ section, name }) => `${section}: ${name}`);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  it("accept a request of every offered pair of model and task type", () => {
    for (const { model, type } of OFFERS) expect(ACCEPTED.map(wantedOffer)).toContainEqual({ model, type });
  });
});

describe("the SDK sends what the interface allows, unchanged", () => {
  it.each(ACCEPTED)("$section: $name", async ({ body }) => {
    const { client, requests } = createWorld(acceptedAs);
    await client.tasks.create(body as TaskRequest);
    const sent = requests.map((request) => [request.method, request.url, JSON.parse(request.body)]);
    expect(sent).toEqual([["POST", `${BASE_URL}/api/v1/task`, body]]);
  });
});

describe("the SDK refuses what the interface forbids, and sends nothing", () => {
  it.each(REFUSED)("$section: $name: $expected", async ({ body, expected }) => {
    const { client, requests } = createWorld(() => accepted());
    const error = await reasonOf(client.tasks.create(body as TaskRequest));
    expect(error).toBeInstanceOf(InvalidRequestError);
    expect(error).toMatchObject({ name: "InvalidRequestError", errorCode: expected });
    expect(requests).toEqual([]);
  });
});

describe("the emulator accepts what the interface allows, for its price", () => {
  it.each(ACCEPTED)("$section: $name", async (row) => {
    const service = createService();
    const { status, body, data } = await service.post(row.body);
    expect({ status, body }).toMatchObject({ status: 202, body: { code: 202 } });
    expect(misfits(data, SUBMISSION)).toEqual([]);

    const { type, credits } = offerOf(row);
    const { audio_format = null, input } = Object(row.body);
    expect(data).toMatchObject({ type, status: "pending", credits_charged: credits, audio_format });
    expect(await service.balance()).toEqual({ available: 100 - credits, frozen: credits, total: 100 });

    const task = await service.get(`/api/v1/task/${Object(data).task_id}`);
    expect(task.data).toMatchObject({ ...wantedOffer(row), credits_cost: credits, audio_format });
    expect(Object(task.data).input).toEqual(input);
  });
});

describe("the emulator refuses what the interface forbids, and nothing changes", () => {
  it.each(REFUSED)("$section: $name: $expected", async (row) => {
    const service = createService();
    const before = stateOf(service);
    const { status, body } = await service.post(row.body);
    const code = statusOf(row.expected);
    expect({ status, body }).toMatchObject({ status: code, body: { code, error_code: row.expected } });
    expect(misfits(body, ERROR_BODY)).toEqual([]);
    expect(stateOf(service)).toBe(before);
    expect(await service.balance()).toEqual({ available: 100, frozen: 0, total: 100 });
  });
});

function offerOf(row: RequestRow) {
  const { model, type } = wantedOffer(row);
  const offer = OFFERS.find((each) => each.model === model && each.type === type);
  if (offer === undefined) throw new Error(`The tables offer no ${type} by ${model}`);
  return offer;
}

function wantedOffer({ body }: RequestRow): { model: string; type: string } {
  const { model, task_type: type } = Object(body);
  return { model, type };
}
