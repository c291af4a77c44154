import { render } from "preact";
import { App } from "./app.js";
import { follow } from "./live/follow.js";
import { followTheme } from "./parts/theme.js";
import { followAddress } from "./place.js";
import { openDraft } from "./views/tasks/draft.js";

followTheme();
followAddress();
openDraft();
follow();
render(<App />, document.body);
