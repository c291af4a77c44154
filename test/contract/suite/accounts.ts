import { expect } from "vitest";
import { AccountSuspendedError, AuthenticationError, TaskNotFoundError } from "../../../src/index.js";
import { rejection } from "../../support/rejection.js";
import type { Kit } from "../kit.js";
import { balanceOf, LYRICS, type Open, SONG, usageOf } from "../world.js";

export function describeAccounts(open: Open, { describe, it }: Kit): void {
  describe("accounts", () => {
    it("have access to their own tasks and credits only", async () => {
      const { client, connect, emulator } = await open({ credits: 100 });
      const other = connect({ apiKey: emulator.accounts.create({ credits: 7 }).api_key });
      const { task_id: id } = await client.tasks.create(SONG);
      await rejection(other.tasks.retrieve(id), TaskNotFoundError);
      await rejection(other.tasks.wait(id), TaskNotFoundError);
      expect(await other.account.balance()).toEqual(balanceOf(7));
      expect(await other.account.usage()).toEqual(usageOf(0, 0, 7));
      expect(await client.account.balance()).toEqual(balanceOf(90, 10));
    });

    it("share tasks and credits between their keys", async () => {
      const { client, connect, emulator } = await open({ credits: 100 });
      const other = connect({ apiKey: emulator.accounts.createKey(emulator.accountId).api_key });
      const { task_id: id } = await client.tasks.create(LYRICS);
      expect(await other.tasks.wait(id)).toMatchObject({ status: "success" });
      expect(await other.account.balance()).toEqual(balanceOf(95));
    });

    it("that are suspended create no tasks, but can do everything else", async () => {
      const { client, emulator } = await open({ credits: 100 });
      const submission = await client.tasks.create(LYRICS);
      emulator.accounts.update(emulator.accountId, { suspended: true });
      const error = await rejection(client.tasks.create(LYRICS), AccountSuspendedError);
      expect(error).toMatchObject({ status: 403, errorCode: "account_suspended" });
      expect(await client.tasks.wait(submission)).toMatchObject({ status: "success" });
      expect(await client.account.balance()).toEqual(balanceOf(95));
      emulator.accounts.update(emulator.accountId, { suspended: false });
      expect(await client.tasks.create(LYRICS)).toMatchObject({ status: "pending" });
    });

    it("are closed to a disabled key, until it is enabled again", async () => {
      const { connect, emulator } = await open();
      const { api_key: apiKey, key_id: keyId } = emulator.accounts.createKey(emulator.accountId);
      const client = connect({ apiKey });
      const submission = await client.tasks.create(SONG);
      emulator.accounts.updateKey(emulator.accountId, keyId, { disabled: true });
      const error = await rejection(client.tasks.wait(submission), AuthenticationError);
      expect(error).toMatchObject({ status: 401, errorCode: "invalid_api_key", taskId: submission.task_id });
      emulator.accounts.updateKey(emulator.accountId, keyId, { disabled: false });
      expect(await client.tasks.wait(submission)).toMatchObject({ status: "success" });
    });

    it("are closed to a deleted key, and open to their other keys", async () => {
      const { client, connect, emulator } = await open();
      const { api_key: apiKey, key_id: keyId } = emulator.accounts.createKey(emulator.accountId);
      const { task_id: id } = await connect({ apiKey }).tasks.create(LYRICS);
      emulator.accounts.deleteKey(emulator.accountId, keyId);
      await rejection(connect({ apiKey }).account.balance(), AuthenticationError);
      expect(await client.tasks.wait(id)).toMatchObject({ status: "success" });
    });

    it("are identified by the API key: a request without one gets a 401 without a rate limit", async () => {
      const { fetch, client } = await open();
      const response = await fetch(`${client.baseUrl}/api/v1/account/balance`);
      expect(response.status).toBe(401);
      expect(await response.json()).toMatchObject({ code: 401, error_code: "missing_api_key" });
      expect(response.headers.get("X-RateLimit-Remaining")).toBeNull();
      expect(response.headers.get("X-Request-Id")).not.toBeNull();
    });
  });
}
