import { ENDPOINTS } from "../../src/contract/service.js";
import type { Site } from "../core/audio-store.js";
import { readBalance, readUsage } from "./operations/account.js";
import { readArt, readAudio, readProviderAudio } from "./operations/files.js";
import { describeService, welcome } from "./operations/service.js";
import { readOwnTask, submitTask } from "./operations/tasks.js";
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
