import type { Balance, Usage } from "./contract/account.js";
import { balanceSchema, usageSchema } from "./contract/responses.js";
import { ENDPOINTS } from "./contract/wire.js";
import { type ApiPromise, apiPromise } from "./http/api-promise.js";
import type { Call, RequestOptions } from "./http/call.js";
import { checkOptionNames } from "./http/option-names.js";
import { type AnswerSchema, parseAnswer } from "./http/parse-answer.js";
import { REQUEST_OPTIONS } from "./http/request-options.js";
import type { Transport } from "./http/transport.js";
import { judgeRead } from "./http/verdict.js";

const BALANCE_CALL: Call = { ...ENDPOINTS.balance, kind: "account", purpose: "read the balance" };
const USAGE_CALL: Call = { ...ENDPOINTS.usage, kind: "account", purpose: "read the usage" };

/** The account that the key belongs to. */
export class Account {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * The account's credits: available, frozen for tasks in flight, and both together. 1 credit is 0.01 USD.
   *
   * @throws {@link AuthenticationError}, {@link RateLimitedError}, {@link ServerError}, {@link ConnectionError} after
   * the retries
   */
  balance(options: RequestOptions = {}): ApiPromise<Balance> {
    return this.#read(BALANCE_CALL, balanceSchema, options);
  }

  /**
   * What the account has used since it exists: tasks, credits and top-ups.
   *
   * @throws {@link AuthenticationError}, {@link RateLimitedError}, {@link ServerError}, {@link ConnectionError} after
   * the retries
   */
  usage(options: RequestOptions = {}): ApiPromise<Usage> {
    return this.#read(USAGE_CALL, usageSchema, options);
  }

  #read<Data>(call: Call, schema: AnswerSchema<Data>, options: RequestOptions): ApiPromise<Data> {
    const transport = this.#transport;
    const read = async () => {
      const own = checkOptionNames(options, REQUEST_OPTIONS, transport.redactor);
      const answer = await transport.send(call, own, judgeRead);
      return { data: parseAnswer(call, answer, schema, transport.redactor), answer };
    };
    return apiPromise(transport.trace(call.purpose, {}, read), transport.redactor);
  }
}
