import { ENDPOINTS, MODELS, TASK_TYPES } from "../../src/contract/service.js";
import type { Audit, ConductRule, Finding, LoggedRequest } from "../core/audit.js";
import { type Core, findTask } from "../core/core.js";
import { isUnused } from "../core/faults.js";

interface TestRequest {
  name: string;
  type: string | null;
  request: LoggedRequest;
}

/**
 * Records what a test does from now on, across every reset and restore. Findings, faults and outcomes of a restored state
 * do not count. Each method returns a message, or `null` if there is nothing to report.
 */
export function followTest(core: Core) {
  const requests: TestRequest[] = [];
  core.logReaders.add((request, json) => {
    const name = `${request.method} ${request.path}`;
    requests.push({ name, type: typeOf(core, request, json), request });
  });

  const audits: { audit: Audit; inheritedFindings: ReadonlySet<Finding> }[] = [];
  let inheritedAdditions: ReadonlySet<object>;
  const inherit = () => {
    const { audit, faults, scripts } = core.state;
    audits.push({ audit, inheritedFindings: new Set(audit.findings) });
    inheritedAdditions = new Set([...faults, ...MODELS.flatMap((model) => scripts[model].next)]);
  };
  core.replaceListeners.add(inherit);
  inherit();
  const findings = () =>
    audits.flatMap(({ audit, inheritedFindings }) =>
      audit.findings.filter((each) => !inheritedFindings.has(each)),
    );

  return {
    brokenRules(allowed: ReadonlySet<ConductRule>): string | null {
      const broken = findings().filter(({ rule }) => !allowed.has(rule));
      if (broken.length === 0) return null;
      const lines = broken.map((finding) => `- ${formatFinding(finding, requests)}\n`);
      const rules = [...new Set(broken.map(({ rule }) => `"${rule}"`))].join(", ");
      return `The client broke rules of the service:\n${lines.join("")}If the test breaks them on purpose, call \`breaks(${rules})\`.`;
    },
    unbrokenRules(expected: ReadonlySet<ConductRule>): string | null {
      const broken = findings().map(({ rule }) => rule);
      const unbroken = [...expected].filter((rule) => !broken.includes(rule));
      if (unbroken.length === 0) return null;
      return `Declared with \`breaks\`, but no request broke them: ${unbroken.join(", ")}. Remove them from the test.`;
    },
    /** The faults and next outcomes that the test added and no request used, for example because of a mistyped path. */
    unusedAdditions(): string | null {
      const { faults, scripts } = core.state;
      const unusedFaults = faults
        .filter((fault) => !inheritedAdditions.has(fault) && isUnused(fault))
        .map(({ rule }) => `- faults.add(${JSON.stringify(rule)})\n`);
      const unusedOutcomes = MODELS.flatMap((model) =>
        scripts[model].next
          .filter((outcome) => !inheritedAdditions.has(outcome))
          .map(
            (outcome) =>
              `- providers.${model}.next(${JSON.stringify(outcome)}): no task of ${model} was created for it\n`,
          ),
      );
      const messages = [
        unusedFaults.length > 0 &&
          `Unused faults: no request matched them.\n${unusedFaults.join("")}The test sent ${pathsOf(requests)}. Check \`method\` and \`path\`. If a fault may stay unused, set its \`probability\`.`,
        unusedOutcomes.length > 0 &&
          `Unused outcomes:\n${unusedOutcomes.join("")}If an outcome may stay unused, use \`always\`.`,
      ].filter((message) => message !== false);
      return messages.length === 0 ? null : messages.join("\n");
    },
  };
}

function typeOf(core: Core, { method, path }: LoggedRequest, json: unknown): string | null {
  const { createTask } = ENDPOINTS;
  if (method !== createTask.method || path !== createTask.path)
    return findTask(core, path.slice(createTask.path.length + 1))?.type ?? null;
  const { task_type: type } = Object(json);
  return TASK_TYPES.find((each) => each === type) ?? null;
}

/** Formats a finding. Request ids in its text are replaced by the requests' names. */
function formatFinding(
  { rule, at, request_id: id, detail }: Finding,
  requests: readonly TestRequest[],
): string {
  const name = nameOf(requests, id, at);
  const named = (word: string) => (word === id ? null : nameOf(requests, word)) ?? word;
  const words = detail.replaceAll(/[\w.:-]+/g, named);
  return `${rule}, ${name === null ? "" : `${name}, `}${at}: ${words} (request ${id})`;
}

/** For example `POST /api/v1/task (lyrics, 2 of 2)`. Of several requests with the id, the last; `null` if there is none. */
function nameOf(requests: readonly TestRequest[], requestId: string, at?: string): string | null {
  const found = requests.findLast(
    ({ request }) => request.request_id === requestId && (at === undefined || request.at === at),
  );
  if (found === undefined) return null;
  const { name, type } = found;
  const alike = requests.filter((each) => each.name === name && each.type === type);
  const ordinal = alike.length > 1 ? `${alike.indexOf(found) + 1} of ${alike.length}` : null;
  const more = [type, ordinal].filter((each) => each !== null);
  return more.length === 0 ? name : `${name} (${more.join(", ")})`;
}

const MOST_PATHS = 8;

/** The methods and paths, each once, with `*` for an id as in the `path` of a fault. */
function pathsOf(requests: readonly TestRequest[]): string {
  const paths = [...new Set(requests.map(({ name }) => name.replace(/\/[0-9a-f-]{36}$/, "/*")))];
  const more = paths.length > MOST_PATHS ? ["and more"] : [];
  return [...paths.slice(0, MOST_PATHS), ...more].join(", ") || "nothing";
}
