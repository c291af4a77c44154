import { runTests } from "./web.js";

await fetch("/results", { method: "POST", body: JSON.stringify(await runTests()) });
