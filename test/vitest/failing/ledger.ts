import { test } from "async-music/emulator/vitest";
import { worldOf } from "../../../emulator/http/mounted-world.js";

test("loses credits", async ({ client, emulator }) => {
  await client.account.balance();
  for (const { ledger } of worldOf(emulator).state.accounts) ledger.available -= 1;
});
