import type { Balance, Usage } from "../../src/contract/account.js";
import type {
  AutoTopUpChange,
  AutoTopUpView,
  Billing,
  BillingInformation,
  Invoice,
  Payment,
  TopUp,
} from "../core/payments/types.js";

/** A new account with its first key. The only time that the key's value is shown. */
export interface CreatedAccount extends CreatedKey {
  account_id: string;
}

/** A new key. The only time that its value is shown. */
export interface CreatedKey {
  key_id: string;
  api_key: string;
}

/** What can be changed of an account. */
export interface AccountChanges {
  /** A suspended account cannot create tasks (403). Everything else works. */
  suspended?: boolean | undefined;
  /** Whether the bank of the saved card accepts further charges. A newly saved card accepts them. */
  saved_card?: "accepts" | "refuses" | undefined;
}

/** An account as an observer sees it. */
export interface AccountView {
  account_id: string;
  suspended: boolean;
  balance: Balance;
  usage: Usage;
  keys: KeyView[];
  /** Every movement of credits, oldest first; `at` is ISO 8601. */
  ledger: {
    at: string;
    kind: "top_up" | "freeze" | "settle" | "refund";
    credits: number;
    task_id: string | null;
  }[];
}

/** A key as an observer sees it: without its value. */
export interface KeyView {
  key_id: string;
  disabled: boolean;
}

/** An account's purchases. Every method throws a RangeError for invalid arguments, and then changes nothing. */
export interface AccountPurchases {
  /**
   * Buys credits: 1 for each cent. The payment is completed at once, with an invoice, unless `outcome` says otherwise.
   * The card of a completed payment becomes the account's saved card.
   */
  topUp(accountId: string, topUp: TopUp): Payment;
  /** Completes or refuses a pending payment. */
  updateTopUp(accountId: string, paymentId: string, change: { status: "completed" | "refused" }): Payment;
  /** All payments, automatic ones included, oldest first. */
  payments(accountId: string): Payment[];
  /** Issues an authorization, good for one change of the automatic top-up. */
  authorize(accountId: string): { authorization: string };
  autoTopUp(accountId: string): AutoTopUpView;
  /** Switches the automatic top-up on or off, or changes its amounts. Enabling and changing need an authorization. */
  setAutoTopUp(accountId: string, change: AutoTopUpChange): AutoTopUpView;
  /** `null` until it was saved. */
  billing(accountId: string): Billing | null;
  setBilling(accountId: string, billing: BillingInformation): Billing;
  /** One for each completed payment. @throws BillingIncompleteError until the billing information is saved */
  invoices(accountId: string): Invoice[];
  /** Rejects where `invoices` throws, and with a RangeError for an id that the account does not have. */
  invoicePdf(accountId: string, invoiceId: string): Promise<Uint8Array<ArrayBuffer>>;
}

/** The emulator's accounts. Every method throws a RangeError for an unknown id. */
export interface Accounts extends AccountPurchases {
  /** Creates an account with a key. @param options.credits - A whole number; 0 by default. */
  create(options?: { credits?: number | undefined }): CreatedAccount;
  /** Returns an account. Like every read, this applies the task timeout to its tasks. */
  get(accountId: string): AccountView;
  /** Returns all accounts, in the order of their creation. */
  list(): AccountView[];
  /** Changes what is given, and leaves the rest. */
  update(accountId: string, changes: AccountChanges): AccountView;
  /** Creates another key, which spends the account's credits and sees its tasks. */
  createKey(accountId: string): CreatedKey;
  /** Requests with a disabled key get 401, until it is enabled again. */
  updateKey(accountId: string, keyId: string, changes: { disabled: boolean }): KeyView;
  /** Requests with a deleted key get 401, permanently. */
  deleteKey(accountId: string, keyId: string): void;
}
