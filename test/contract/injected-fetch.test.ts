import { describeContract } from "./describe-contract.js";
import { injectedFetch } from "./injected-fetch.js";

describeContract("an injected fetch", injectedFetch);
