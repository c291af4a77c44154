import { vi } from "vitest";
import { setupServer } from "../../tools/msw-2/node.js";
import { describeContractByMsw } from "./describe-contract-by-msw.js";

/** If only MSW 2 is installed, the handlers are made with it. */
vi.mock("msw", () => import("../../tools/msw-2/msw.js"));

const server = setupServer();
describeContractByMsw("MSW 2", server, () => server.listen({ onUnhandledRequest: "error" }));
