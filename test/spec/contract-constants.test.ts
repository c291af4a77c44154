import { describe, expect, it } from "vitest";
import { INPUT_LIST } from "../../src/contract/inputs.js";
import { PRICES, priceOf } from "../../src/contract/prices.js";
import * as endpoint from "../../src/contract/service.js";
import {
  ERROR_STATUSES,
  FINAL_STATUSES,
  isFinalStatus,
  isSafeRequestId,
  LIMITS,
  MODELS,
  TASK_ERROR_CODES,
  TASK_STATUSES,
  TASK_TYPES,
  USD_PER_CREDIT,
} from "../../src/contract/service.js";
import * as endpoints from "./tables/endpoints.js";
import * as errors from "./tables/errors.js";
import * as service from "./tables/service.js";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

describe("the exported constants, against the interface", () => {
  it("has the models and the task types", () => {
    expect(MODELS).toEqual(service.MODELS);
    expect(TASK_TYPES).toEqual(service.TASK_TYPES);
  });

  it.each(service.OFFERS)("offers $type by $model for $credits credits", ({ model, type, credits }) => {
    expect(priceOf(model, type)).toBe(credits);
  });

  it.each(service.NOT_OFFERED)("does not offer $type by $model", ({ model, type }) => {
    expect(() => priceOf(model, type)).toThrow(RangeError);
  });

  it("has no other prices and task types", () => {
    const pairs = service.OFFERS.map(({ model, type }) => `${model} ${type}`).sort();
    expect(
      Object.entries(PRICES)
        .flatMap(([model, types]) => Object.keys(types).map((type) => `${model} ${type}`))
        .sort(),
    ).toEqual(pairs);
    expect([...new Set(INPUT_LIST.map(({ model, task_type: type }) => `${model} ${type}`))].sort()).toEqual(
      pairs,
    );
  });

  it("has the price of a credit", () => {
    expect(USD_PER_CREDIT).toBe(service.USD_PER_CREDIT);
  });

  it("has every limit", () => {
    const limits = service.LIMITS;
    expect(LIMITS).toEqual({
      requestsPerWindow: limits.requestsPerKeyAndWindow,
      windowMs: limits.windowSeconds * SECOND,
      taskTimeoutMs: limits.taskTimeoutHours * HOUR,
      typicalTaskMs: {
        shortest: limits.shortestTaskSeconds * SECOND,
        longest: limits.longestTaskMinutes * MINUTE,
      },
      shortestPollIntervalMs: limits.shortestPollSeconds * SECOND,
      recommendedPollIntervalMs: {
        shortest: limits.recommendedPollSeconds.from * SECOND,
        longest: limits.recommendedPollSeconds.to * SECOND,
      },
      audioLifetimeMs: limits.audioLifetimeDays * DAY,
      requestIdLength: { shortest: limits.requestIdCharacters.from, longest: limits.requestIdCharacters.to },
    });
  });

  it("has every status, and which are final", () => {
    expect(TASK_STATUSES).toEqual(service.STATUSES);
    expect(FINAL_STATUSES).toEqual(service.FINAL_STATUSES);
    expect(service.STATUSES.filter(isFinalStatus)).toEqual(service.FINAL_STATUSES);
  });

  it("has the endpoints, with method, path and the status of success", () => {
    const rows = endpoints.ENDPOINTS.map(({ name, method, path, success }) => [
      name,
      { method, path, status: success },
    ]);
    expect(endpoint.ENDPOINTS).toEqual(Object.fromEntries(rows));
    expect(endpoint.API_PREFIX).toBe("/api/v1");
  });

  it("has the headers", () => {
    expect(endpoint.HEADERS).toEqual(endpoints.HEADERS);
  });

  it("has every error code with its status, and none where the interface shows none", () => {
    expect(ERROR_STATUSES).toEqual(
      Object.fromEntries(errors.ERROR_CODES.map(({ code, status }) => [code, status])),
    );
  });

  it("has the error codes of tasks", () => {
    expect(TASK_ERROR_CODES).toEqual(errors.TASK_ERROR_CODES);
  });

  it.each(endpoints.REQUEST_IDS)("checks a request ID of $name: safe is $safe", ({ value, safe }) => {
    expect(isSafeRequestId(value)).toBe(safe);
  });
});
