import { link } from "../live/store.js";

/** Says that what is to be seen is old, for as long as it is. */
export function Banner() {
  return (
    <div role="status" class="banner" hidden={link.value !== "lost"}>
      {link.value === "lost" &&
        "The emulator can't be reached. What you see is the last that was heard; the page goes on by itself once it is back."}
    </div>
  );
}
