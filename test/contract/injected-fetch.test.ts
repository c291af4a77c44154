import { describeContractOnNode } from "./describe-contract-on-node.js";
import { injectedFetch } from "./injected-fetch.js";

describeContractOnNode("an injected fetch", injectedFetch);
