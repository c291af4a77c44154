/** One payment for credits. */
export interface Payment {
  payment_id: string;
  /** When it was begun: ISO 8601. */
  at: string;
  usd: number;
  credits: number;
  method: "card" | "crypto";
  status: "completed" | "refused" | "pending";
  /** Whether the automatic top-up made it. */
  automatic: boolean;
  /** The last four digits of the card; `null` where it was none. */
  card: string | null;
  /** Only of a completed payment. */
  invoice_id: string | null;
}

/** An invoice over a completed payment. */
export interface Invoice {
  invoice_id: string;
  payment_id: string;
  /** When it was paid: ISO 8601. */
  at: string;
  usd: number;
  credits: number;
  method: "card" | "crypto";
}

/** A purchase of credits by hand. */
export interface TopUp {
  /** US dollars, to the cent; each cent buys one credit. */
  usd: number;
  method: "card" | "crypto";
  /** How it ends: a card can be refused, and a transfer unconfirmed for now. @defaultValue "completed" */
  outcome?: "completed" | "refused" | "pending" | undefined;
}

/** The automatic top-up as it is set. The amounts are `null` until they were set once. */
export interface AutoTopUpView {
  enabled: boolean;
  threshold_credits: number | null;
  recharge_usd: number | null;
  monthly_cap_usd: number | null;
  /** The last four digits of the card that is charged; `null` where none is saved. */
  saved_card: string | null;
  /** What counts towards the cap so far. */
  charged_this_month_usd: number;
  /** After a refused charge: until when none is tried. ISO 8601. */
  paused_until: string | null;
}

/** A change of the automatic top-up. Amounts that are left out stay as they are. */
export interface AutoTopUpChange {
  enabled: boolean;
  /** A charge is due when less than this is available: 50 credits or more. */
  threshold_credits?: number | null | undefined;
  /** What is charged each time: whole US dollars, 10 to 1000. */
  recharge_usd?: number | null | undefined;
  /** What is charged in a month at most: whole US dollars, 10 to 10000, and at least one recharge. */
  monthly_cap_usd?: number | null | undefined;
  /** From `authorize`; good once. Needed to enable it, and to change an amount. */
  authorization?: string | null | undefined;
}

/** The billing information of invoices. A field of blanks is missing. */
export interface BillingInformation {
  /** The company's, or the legal name. */
  name: string;
  address_line_1: string;
  city: string;
  country: string;
  tax_id?: string | null | undefined;
  address_line_2?: string | null | undefined;
  postal_code?: string | null | undefined;
}

/** The billing information as it is saved. */
export interface Billing {
  name: string;
  address_line_1: string;
  address_line_2: string | null;
  postal_code: string | null;
  city: string;
  country: string;
  tax_id: string | null;
}
