import { describeContractOnNode } from "./describe-contract-on-node.js";
import { injectedFetch } from "./world.js";

describeContractOnNode("an injected fetch", injectedFetch);
