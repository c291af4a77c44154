import { test } from "async-music/emulator/vitest";
import { coreOf } from "../../../emulator/http/service.js";

test("loses credits", async ({ client, emulator }) => {
  await client.account.balance();
  for (const { ledger } of coreOf(emulator).state.accounts) ledger.available -= 1;
});
