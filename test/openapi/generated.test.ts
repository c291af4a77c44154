import openapiTS, { astToString } from "openapi-typescript";
import { expect, test } from "vitest";
import { fetchDocument } from "./support.js";

const NOTE = "/** Made of `/openapi.json` by openapi-typescript: see `npm run openapi:write`. */\n\n";

test("the generated client is the one that a public generator makes of the description today", async () => {
  const nodes = await openapiTS(Buffer.from(JSON.stringify(await fetchDocument())));
  await expect(NOTE + astToString(nodes)).toMatchFileSnapshot("generated.ts");
});
