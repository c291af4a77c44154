import { useId } from "preact/hooks";
import { param } from "../../address.js";
import { Button } from "../../parts/display.js";
import { formatAmount } from "../../parts/format.js";
import { isLogLoaded } from "../../store.js";
import { chips, chipText, completions, format, setChips, type } from "./search.js";

/** One field for words and tokens. A whole token becomes a chip, which removes it. */
export function SearchField({ count }: { count: number }) {
  const id = useId();
  const without = (index: number) => setChips(chips.value.filter((_, each) => each !== index));
  return (
    <search>
      <div class="tokens buttons">
        <label for={id} class="unseen">
          Search
        </label>
        {chips.value.map((token, index) => (
          <Button
            key={format(token)}
            class="small chip"
            aria-label={`Remove ${format(token)}`}
            onClick={() => without(index)}
          >
            {chipText(token)} <span aria-hidden="true">×</span>
          </Button>
        ))}
        <input
          id={id}
          type="text"
          list={`${id}-list`}
          autocomplete="off"
          spellcheck={false}
          placeholder="Search: words, or status:402 method:POST rule:polled_too_often task:… body:rain"
          value={param("text")}
          onInput={({ currentTarget }) => {
            type(currentTarget.value);
            // A space alone is no search: the field is drawn again only after a change.
            currentTarget.value = param("text");
          }}
          onBlur={({ currentTarget }) => type(currentTarget.value, true)}
          onKeyDown={({ key, currentTarget }) => {
            if (key === "Enter") type(currentTarget.value, true);
            if (key === "Backspace" && currentTarget.value === "") without(chips.value.length - 1);
          }}
        />
        <datalist id={`${id}-list`}>
          {completions.value.map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
        <small aria-live="polite">{isLogLoaded.value && formatAmount(count, "request")}</small>
      </div>
    </search>
  );
}
