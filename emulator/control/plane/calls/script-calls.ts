import * as z from "zod/mini";
import { isModel, type Model } from "../../../../src/contract/service.js";
import { UnknownIdError } from "../../../core/checks.js";
import { ruleSchema } from "../../../core/faults.js";
import { policyChangesSchema, policySchema } from "../../../core/policy.js";
import { outcomeSchema } from "../../../core/providers.js";
import type { Emulator } from "../../emulator.js";
import type { Provider } from "../../providers.js";
import * as answer from "../answer-schemas.js";
import { call, callWithBody } from "../call.js";
import { limitsData, limitsOption, limitsSchema } from "../limits-data.js";

/** What the service and its providers are to do. */
export const scriptCalls = [
  callWithBody(
    {
      method: "POST",
      path: "/providers/{model}/next",
      summary: "Give the provider's next task an outcome; called again, the one after it.",
      status: 204,
      answers: null,
      errors: [404],
    },
    outcomeSchema,
    ({ emulator, params: [model = ""], body }) => {
      findProvider(emulator, model).next(body);
      return undefined;
    },
  ),
  call(
    {
      method: "DELETE",
      path: "/providers/{model}/next",
      summary: "Take back the outcomes that the provider's next tasks were given.",
      status: 204,
      answers: null,
      errors: [404],
    },
    ({ core, params: [model = ""] }) => {
      core.state.scripts[requireModel(model)].next = [];
      return undefined;
    },
  ),
  callWithBody(
    {
      method: "PUT",
      path: "/providers/{model}/always",
      summary: "Give all of the provider's tasks an outcome from now on; null ends that.",
      status: 204,
      answers: null,
      errors: [404],
    },
    z.nullable(outcomeSchema),
    ({ emulator, params: [model = ""], body }) => {
      findProvider(emulator, model).always(body);
      return undefined;
    },
  ),
  callWithBody(
    {
      method: "POST",
      path: "/faults",
      summary: "Arm a fault. Of several that match a request, the first fires.",
      status: 201,
      answers: ruleSchema,
    },
    ruleSchema,
    ({ emulator, body }) => {
      emulator.faults.add(body);
      return body;
    },
  ),
  call(
    { method: "DELETE", path: "/faults", summary: "Disarm all faults.", status: 204, answers: null },
    ({ emulator }) => {
      emulator.faults.clear();
      return undefined;
    },
  ),
  callWithBody(
    {
      method: "PATCH",
      path: "/policy",
      summary: "Choose what the interface leaves open.",
      status: 200,
      answers: policySchema,
    },
    policyChangesSchema,
    ({ emulator, body }) => emulator.changePolicy(body),
  ),
  callWithBody(
    {
      method: "PATCH",
      path: "/limits",
      summary: "Change the rate limit of every key.",
      status: 200,
      answers: answer.limits,
    },
    limitsSchema,
    ({ emulator, body }) => limitsData(emulator.changeLimits(limitsOption(body))),
  ),
];

function findProvider({ providers }: Emulator, model: string): Provider {
  return providers[requireModel(model)];
}

function requireModel(model: string): Model {
  if (!isModel(model)) throw new UnknownIdError("provider", model);
  return model;
}
