import { useState } from "preact/hooks";
import { linkWith } from "../../address.js";
import { call, type ExchangeDetails } from "../../api.js";
import { useData } from "../../parts/calls.js";
import { Flag } from "../../parts/controls.js";
import { Empty } from "../../parts/display.js";
import { formatCount } from "../../parts/format.js";
import { parsed } from "../../parts/json.js";
import { keyNames } from "../../store.js";

/** Two requests side by side: each fact, header and field of a body is a row, and the differences are marked. */
export function Comparison({ numbers }: { numbers: readonly [one: string, other: string] }) {
  const [isWhole, setWhole] = useState(false);
  const { data, error } = useData(
    () => Promise.all(numbers.map((number) => call("GET /exchanges/{number}", number))),
    numbers.join(" "),
  );
  const [one, other] = (data ?? []).map(partsOf);
  const names = [...new Set([...(one?.keys() ?? []), ...(other?.keys() ?? [])])];
  const differs = (name: string) => one?.get(name) !== other?.get(name);
  const shown = isWhole ? names : names.filter(differs);
  return (
    <section class="exchange" aria-label="Comparison">
      <div class="heading">
        <h2>
          Requests {numbers[0]} and {numbers[1]}
        </h2>
        <a href={linkWith("with", "")}>Back to request {numbers[0]}</a>
      </div>
      {error !== null && <Empty>One of the requests is no longer in the log.</Empty>}
      {data !== undefined && (
        <>
          <Flag
            label={`Also what is equal (${formatCount(names.filter((name) => !differs(name)).length)})`}
            value={isWhole}
            onChange={setWhole}
          />
          <table class="comparison">
            <thead>
              <tr>
                <th scope="col">Part</th>
                <th scope="col">Request {numbers[0]}</th>
                <th scope="col">Request {numbers[1]}</th>
              </tr>
            </thead>
            <tbody>
              {shown.map((name) => (
                <tr key={name}>
                  <th scope="row">{name}</th>
                  {[one, other].map((parts, index) => (
                    <td key={index}>
                      {differs(name) ? <mark>{parts?.get(name) ?? "–"}</mark> : parts?.get(name)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </>
      )}
    </section>
  );
}

function partsOf(exchange: ExchangeDetails): ReadonlyMap<string, string> {
  const { at, method, path, status, ended, duration_ms, key_id, fault, outcome } = exchange;
  const key = key_id && (keyNames.value.get(key_id) ?? "deleted");
  const { request_headers, request_body, response_headers, response_body } = exchange;
  const parts: (readonly [name: string, value: unknown])[] = [
    ...Object.entries({ at, method, path, status, ended, duration_ms, key }),
    ...leaves("fault", fault),
    ...leaves("outcome", outcome),
    ...named("request header", request_headers),
    ...leaves("request body", parsed(request_body) ?? request_body),
    ...named("response header", response_headers),
    ...leaves("response body", parsed(response_body) ?? response_body),
  ];
  return new Map(
    parts.flatMap(([name, value]) => (value == null || value === "" ? [] : [[name, String(value)]])),
  );
}

const named = (of: string, headers: ExchangeDetails["request_headers"]) =>
  Object.entries(headers ?? {}).map(([name, value]) => [`${of} ${name.toLowerCase()}`, value] as const);

/** `request body.input.prompt` */
function leaves(name: string, value: unknown): [name: string, value: unknown][] {
  if (typeof value !== "object" || value === null) return [[name, value]];
  return Object.entries(value).flatMap(([key, each]) => leaves(`${name}.${key}`, each));
}
