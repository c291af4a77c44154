import { ENDPOINTS } from "../../src/contract/service.js";
import type { Site } from "../core/audio-store.js";
import { readBalance } from "./operations/balance.js";
import { submitTask } from "./operations/create-task.js";
import { readArt, readAudio, readProviderAudio } from "./operations/files.js";
import { describeService } from "./operations/openapi.js";
import { readOwnTask } from "./operations/retrieve-task.js";
import { readUsage } from "./operations/usage.js";
import { welcome } from "./operations/welcome.js";
import type { RequestContext } from "./request-context.js";
import { keyRoute, openRoute, type Route } from "./route.js";

export const ROUTES: Readonly<Record<Site, readonly Route<RequestContext>[]>> = {
  service: [
    keyRoute(ENDPOINTS.createTask, submitTask),
    keyRoute(ENDPOINTS.retrieveTask, readOwnTask),
    keyRoute(ENDPOINTS.balance, readBalance),
    keyRoute(ENDPOINTS.usage, readUsage),
    ...openRoute("/audio/{clipId}", readAudio),
    ...openRoute("/openapi.json", describeService),
    ...openRoute("/", welcome),
  ],
  provider: [
    ...openRoute("/{model}/audio/{clipId}", readProviderAudio),
    ...openRoute("/{model}/art/{clipId}/{size}", readArt),
  ],
};
