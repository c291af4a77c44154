import { setupServer } from "msw/node";
import { describeContractByMsw } from "./describe-contract-by-msw.js";

const server = setupServer();
describeContractByMsw("MSW 3", server, () => server.listen({ onUnhandledFrame: "error" }));
