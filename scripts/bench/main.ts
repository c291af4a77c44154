/** How fast and how large the SDK and the emulator are, beside others of their kind: `npm run bench`. */

import { measureCalls } from "./calls.ts";
import { measureImport } from "./import-time.ts";
import { measureLoopback } from "./loopback.ts";
import { measurePort, measureStart } from "./port.ts";
import { publish } from "./publish.ts";
import { measureSize } from "./size.ts";

publish("bench", [
  ...(await measureCalls()),
  await measureLoopback(),
  await measureImport(),
  ...(await measureSize()),
  ...(await measurePort()),
  ...(await measureStart()),
]);
