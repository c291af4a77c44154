import { expect } from "vitest";
import { AccountSuspendedError, AuthenticationError, TaskNotFoundError } from "../../../src/index.js";
import { rejection } from "../../support/rejection.js";
import type { Kit } from "../kit.js";
import { LYRICS, type Open, SONG } from "../world.js";

export function describeAccounts(open: Open, { describe, it }: Kit): void {
  describe("accounts", () => {
    it("see their own tasks and credits only", async () => {
      const { client, connect, emulator } = await open({ credits: 100 });
      const stranger = connect({ apiKey: emulator.accounts.create({ credits: 7 }).api_key });
      const { task_id: id } = await client.tasks.create(SONG);
      await rejection(stranger.tasks.retrieve(id), TaskNotFoundError);
      await rejection(stranger.tasks.wait(id), TaskNotFoundError);
      expect(await stranger.account.balance()).toEqual({ available: 7, frozen: 0, total: 7 });
      expect(await stranger.account.usage()).toEqual({
        tasks_created: 0,
        credits_used: 0,
        credits_topped_up: 7,
      });
      expect(await client.account.balance()).toEqual({ available: 90, frozen: 10, total: 100 });
    });

    it("share tasks and credits among their keys", async () => {
      const { client, connect, emulator } = await open({ credits: 100 });
      const other = connect({ apiKey: emulator.accounts.createKey(emulator.accountId).api_key });
      const { task_id: id } = await client.tasks.create(LYRICS);
      expect(await other.tasks.wait(id)).toMatchObject({ status: "success" });
      expect(await other.account.balance()).toEqual({ available: 95, frozen: 0, total: 95 });
    });

    it("that are suspended create nothing, but everything else goes on", async () => {
      const { client, emulator } = await open({ credits: 100 });
      const submission = await client.tasks.create(LYRICS);
      emulator.accounts.update(emulator.accountId, { suspended: true });
      const error = await rejection(client.tasks.create(LYRICS), AccountSuspendedError);
      expect(error).toMatchObject({ status: 403, errorCode: "account_suspended" });
      expect(await client.tasks.wait(submission)).toMatchObject({ status: "success" });
      expect(await client.account.balance()).toEqual({ available: 95, frozen: 0, total: 95 });
      emulator.accounts.update(emulator.accountId, { suspended: false });
      expect(await client.tasks.create(LYRICS)).toMatchObject({ status: "pending" });
    });

    it("lose what uses a key of theirs that is disabled, until it is enabled again", async () => {
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

    it("lose what uses a key of theirs that is deleted, and go on with another", async () => {
      const { client, connect, emulator } = await open();
      const { api_key: apiKey, key_id: keyId } = emulator.accounts.createKey(emulator.accountId);
      const { task_id: id } = await connect({ apiKey }).tasks.create(LYRICS);
      emulator.accounts.deleteKey(emulator.accountId, keyId);
      await rejection(connect({ apiKey }).account.balance(), AuthenticationError);
      expect(await client.tasks.wait(id)).toMatchObject({ status: "success" });
    });

    it("are told apart by nothing but the key: without one there is a 401 without a count", async () => {
      const { fetch, client } = await open();
      const response = await fetch(`${client.baseUrl}/api/v1/account/balance`);
      expect(response.status).toBe(401);
      expect(await response.json()).toMatchObject({ code: 401, error_code: "missing_api_key" });
      expect(response.headers.get("X-RateLimit-Remaining")).toBeNull();
      expect(response.headers.get("X-Request-Id")).not.toBeNull();
    });
  });
}
