import { setupServer } from "msw2/node";
import { vi } from "vitest";
import { describeContractByMsw } from "./describe-contract-by-msw.js";

/** If only MSW 2 is installed, the handlers are made with it. */
vi.mock("msw", () => import("msw2"));

const server = setupServer();
describeContractByMsw("MSW 2", server, () => server.listen({ onUnhandledRequest: "error" }));
