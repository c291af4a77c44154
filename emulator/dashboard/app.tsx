import { useEffect, useRef } from "preact/hooks";
import { Banner } from "./frame/banner.js";
import { Header } from "./frame/header.js";
import { link, overview } from "./live/store.js";
import { path } from "./place.js";
import { findView } from "./views/views.js";

export function App() {
  const view = findView(path.value);
  const key = path.value.join("/");
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  useEffect(() => {
    document.title = `${view.title} · async-music emulator`;
    // Who comes from elsewhere in the page goes on reading at the top of the new view, with the header in sight.
    if (!isFirst.current) {
      main.current?.focus({ preventScroll: true });
      scrollTo(0, 0);
    }
    isFirst.current = false;
  }, [key]);
  return (
    <>
      <button type="button" class="skip" onClick={() => main.current?.focus()}>
        Skip to content
      </button>
      <Header />
      <Banner />
      <main id="main" ref={main} tabIndex={-1} data-ready={overview.value !== null}>
        {overview.value === null ? (
          <p aria-busy={link.value === "connecting"}>
            {link.value === "connecting" ? "Asking the emulator…" : "Nothing is known of the emulator yet."}
          </p>
        ) : (
          <view.Body key={key} />
        )}
      </main>
    </>
  );
}
