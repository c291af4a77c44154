import type { Balance, Usage } from "./contract/responses.js";
import { balanceSchema, usageSchema } from "./contract/responses.js";
import { ENDPOINTS } from "./contract/service.js";
import { checkOptions } from "./errors/options.js";
import { type ApiPromise, apiPromise } from "./http/api-promise.js";
import type { Call, Context } from "./http/context.js";
import { judgeRead } from "./http/failure.js";
import { parseData, type Schema } from "./http/parse-data.js";
import { REQUEST_OPTIONS, type RequestOptions } from "./http/request-options.js";
import { send } from "./http/send.js";

const BALANCE_CALL: Call = { ...ENDPOINTS.balance, kind: "account", purpose: "read the balance" };
const USAGE_CALL: Call = { ...ENDPOINTS.usage, kind: "account", purpose: "read the usage" };

/** The account that the key belongs to. */
export class Account {
  readonly #context: Context;

  /** @internal */
  constructor(context: Context) {
    this.#context = context;
  }

  /**
   * The account's credits: available, frozen for unfinished tasks, and their total. 1 credit is 0.01 USD.
   *
   * @throws `InvalidOptionError` an option is out of range or misspelled; nothing was sent
   * @throws `AuthenticationError`, `RateLimitedError`, `ServerError`, `ConnectionError` after the retries; `ApiError` after a redirect
   * @throws `InvalidResponseError` the response lacks what the interface requires
   */
  balance(options: RequestOptions = {}): ApiPromise<Balance> {
    return this.#read(BALANCE_CALL, balanceSchema, options);
  }

  /**
   * The account's totals since its creation: tasks, credits and top-ups.
   *
   * @throws `InvalidOptionError` an option is out of range or misspelled; nothing was sent
   * @throws `AuthenticationError`, `RateLimitedError`, `ServerError`, `ConnectionError` after the retries; `ApiError` after a redirect
   * @throws `InvalidResponseError` the response lacks what the interface requires
   */
  usage(options?: RequestOptions): ApiPromise<Usage>;
  /** @internal The read of an order: tenants take turns. */
  usage(options: RequestOptions, tenant: string | undefined): ApiPromise<Usage>;
  usage(options: RequestOptions = {}, tenant?: string): ApiPromise<Usage> {
    return this.#read({ ...USAGE_CALL, tenant }, usageSchema, options);
  }

  #read<Data>(call: Call, schema: Schema<Data>, options: RequestOptions): ApiPromise<Data> {
    const context = this.#context;
    const read = async () => {
      const own = checkOptions(options, REQUEST_OPTIONS, context.redactor);
      const response = await send(context, call, own, judgeRead);
      return { data: parseData(context, call, response, schema), response };
    };
    return apiPromise(context.trace(call.purpose, {}, read), context.redactor);
  }
}
