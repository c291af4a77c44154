import { describeSentOnce } from "./sent-once.js";

describeSentOnce();
