import * as z from "zod/mini";
import { objectOf, wholeNumber } from "../../../core/checks.js";
import { MOST_CREDITS } from "../../../core/ledger.js";
import { accountChangesSchema } from "../../accounts.js";
import * as answer from "../answer-schemas.js";
import { call, callWithBody } from "../call.js";

const flag = z.boolean("be true or false");

/** Accounts and their keys. */
export const accountCalls = [
  callWithBody(
    {
      method: "POST",
      path: "/accounts",
      summary: "Create an account with a key.",
      status: 201,
      answers: answer.createdAccount,
    },
    objectOf({ credits: z.optional(wholeNumber(0, MOST_CREDITS)) }),
    ({ emulator, body }) => emulator.accounts.create(body),
  ),
  callWithBody(
    {
      method: "PATCH",
      path: "/accounts/{account_id}",
      summary: "Suspend an account or lift that; let its saved card refuse to be charged, or accept again.",
      status: 200,
      answers: answer.account,
      errors: [404],
    },
    accountChangesSchema,
    ({ emulator, params: [accountId = ""], body }) => emulator.accounts.update(accountId, body),
  ),
  call(
    {
      method: "POST",
      path: "/accounts/{account_id}/keys",
      summary: "Create a key. Its value is shown this once.",
      status: 201,
      answers: answer.createdKey,
      errors: [404],
    },
    ({ emulator, params: [accountId = ""] }) => emulator.accounts.createKey(accountId),
  ),
  callWithBody(
    {
      method: "PATCH",
      path: "/accounts/{account_id}/keys/{key_id}",
      summary: "Disable a key, or enable it again.",
      status: 200,
      answers: answer.key,
      errors: [404],
    },
    objectOf({ disabled: flag }),
    ({ emulator, params: [accountId = "", keyId = ""], body }) =>
      emulator.accounts.updateKey(accountId, keyId, body),
  ),
  call(
    {
      method: "DELETE",
      path: "/accounts/{account_id}/keys/{key_id}",
      summary: "Delete a key, for ever.",
      status: 204,
      answers: null,
      errors: [404],
    },
    ({ emulator, params: [accountId = "", keyId = ""] }) => {
      emulator.accounts.deleteKey(accountId, keyId);
      return undefined;
    },
  ),
];
