import { createEmulator } from "async-music/emulator";
import openapiTS, { astToString } from "openapi-typescript";
import { expect, test } from "vitest";

const NOTE =
  "/** Made of `/_emulator/openapi.json` by openapi-typescript: see `npm run openapi:write`. */\n\n";

test("the dashboard's client is the one that a public generator makes of the control plane today", async () => {
  await using emulator = createEmulator();
  const response = await emulator.fetch(`${emulator.url}/_emulator/openapi.json`);
  const nodes = await openapiTS(Buffer.from(await response.text()));
  await expect(NOTE + astToString(nodes)).toMatchFileSnapshot(
    "../../emulator/dashboard/client/control-plane.generated.ts",
  );
});
