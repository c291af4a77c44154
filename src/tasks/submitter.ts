import type { Account } from "../account.js";
import type { TaskSubmission } from "../contract/task.js";
import type { Flight, RequestOptions } from "../http/call.js";
import { checkOptionNames } from "../http/option-names.js";
import type { Transport } from "../http/transport.js";
import { createCount } from "../journal/create-count.js";
import type { JournalPlace } from "../journal/options.js";
import type { Probe } from "../journal/probe.js";
import { type Ordered, submitOnce } from "../journal/submit-once.js";
import { createRequestId } from "../time/random.js";
import { attributesOf } from "./attributes.js";
import { createCall } from "./calls.js";
import { type Created, createBody, createTask } from "./create.js";
import { warnOfInputTypos } from "./input-typos.js";
import { SHARED_OPTIONS } from "./options.js";

/** How a run submits. */
export interface Manner {
  /** Its POST, once it has left, is waited for after an abort too. */
  flight: Flight;
  /** Called before a task is submitted; stops that by throwing. */
  beforeSending: (() => void) | undefined;
}

/** Everything by which one client submits tasks. */
export interface Submitter {
  /** Submits a task. */
  submit(request: unknown, options: RequestOptions, flight?: Flight): Promise<Created>;
  /** Submits a task, or finds it in a journal. */
  submitOnce(
    request: unknown,
    place: JournalPlace,
    options: RequestOptions,
    manner: Manner,
  ): Promise<Ordered>;
  /** Of a submission of this client: its model, and when it was answered by its own clock, since the service's may differ. */
  submitted(submission: TaskSubmission): { model: string; at: number } | undefined;
}

export function createSubmitter(transport: Transport, account: Account, validates: boolean): Submitter {
  const { clock, random, redactor, trace } = transport;
  const count = createCount();
  const lost: Probe["lost"] = new Map();
  const submitted = new WeakMap<TaskSubmission, { model: string; at: number }>();

  const post = async (
    request: unknown,
    body: string,
    options: RequestOptions,
    flight: Flight | undefined,
    beforeSending?: () => Promise<void>,
  ): Promise<Created> => {
    const call = { ...createCall(body), beforeSending, flight };
    warnOfInputTypos(body, transport);
    // Afterwards a request that has changed meanwhile, or throws, must not lose the task.
    const model = String(Object(request).model);
    const create = () => count.during(() => createTask(transport, call, options), options.signal);
    const created = await trace("create a task", attributesOf(request, redactor), create);
    submitted.set(created.data, { model, at: clock.now() });
    return created;
  };
  const probe = ({ timeoutMs, maxRetries, headers, signal }: RequestOptions): Probe => ({
    count,
    lost,
    async readTasksCreated() {
      const usage = await account.usage({ timeoutMs, maxRetries, headers, signal });
      return usage.tasks_created;
    },
  });

  return {
    submitted: (submission) => submitted.get(submission),

    async submit(request, options, flight) {
      // A journal that nobody asks would pass for one that pays once; the options of a run are checked already.
      const own = flight === undefined ? checkOptionNames(options, SHARED_OPTIONS, redactor) : options;
      return post(request, createBody(request, validates), own, flight);
    },

    async submitOnce(request, place, options, manner) {
      const body = createBody(request, validates);
      const requestId = options.requestId ?? createRequestId(random);
      return submitOnce(place, redactor, {
        clock,
        signal: options.signal,
        request: redactor.data(JSON.parse(body)),
        requestId: redactor.text(requestId),
        probe: place.probe ? probe(options) : null,
        async send(take) {
          const beforeSending = async () => {
            manner.beforeSending?.();
            await take();
          };
          return (await post(request, body, { ...options, requestId }, manner.flight, beforeSending)).data;
        },
      });
    },
  };
}
