/** What it costs where there is much of everything: `npm run bench:scale`. */

import { measureDay } from "./day.ts";
import { publish } from "./publish.ts";
import { measureTasks } from "./tasks.ts";
import { measureWaits } from "./waits.ts";

publish("bench:scale", [...(await measureWaits()), ...(await measureTasks()), await measureDay()]);
