import { setupServer } from "msw2/node";
import { vi } from "vitest";
import { describeContractByMsw } from "./describe-contract-by-msw.js";

/** Where only MSW 2 is installed, it is what the handlers are made with. */
vi.mock("msw", () => import("msw2"));

const server = setupServer();
describeContractByMsw("MSW 2", server, () => server.listen({ onUnhandledRequest: "error" }));
