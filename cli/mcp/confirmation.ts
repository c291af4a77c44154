import type { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { printableLine } from "../../src/contract/text.js";
import { messageOfThrown } from "../../src/contract/thrown.js";
import { onAbort } from "../../src/time/abort.js";
import { priceText } from "../terminal.js";
import { ToolRefusal } from "./refusal.js";

/** How long a person has to reply, in milliseconds. */
const LONGEST_REPLY_MS = 10 * 60_000;

/** What a confirmation allows: this order at this price, and nothing else. */
export interface Purchase {
  order: string;
  /** What is ordered, such as `music of provider_a`. */
  what: string;
  credits: number;
}

/** Obtains a person's confirmation of prices, from a client that can show a question (elicitation). */
export interface Confirmation {
  /** Whether the client can show a question. */
  isPossible(): boolean;
  /** Resolves once the user has accepted all of these purchases. @throws ToolRefusal they were not accepted */
  obtain(purchases: readonly Purchase[], signal: AbortSignal): Promise<void>;
}

export function confirmationBy({ server }: Pick<McpServer, "server">): Confirmation {
  return {
    isPossible() {
      const elicitation = server.getClientCapabilities()?.elicitation;
      // An empty capability means forms.
      return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
    },
    async obtain(purchases, signal) {
      // Not the signal itself: after the reply, the library would still cancel the question when it is aborted.
      const question = new AbortController();
      const withdraw = () => question.abort(signal.reason);
      if (signal.aborted) withdraw();
      const onWithdrawn = onAbort(signal, withdraw);
      const names = purchases.map(({ order }) => JSON.stringify(printableLine(order))).join(", ");
      const orders = purchases.length === 1 ? `Order ${names}` : `Orders ${names}`;
      const { action } = await server
        .elicitInput(
          { message: questionAbout(purchases), requestedSchema: { type: "object", properties: {} } },
          { timeout: LONGEST_REPLY_MS, signal: question.signal },
        )
        .catch((error: unknown) => {
          throw new ToolRefusal(
            `${orders} could not be confirmed by the user: ${messageOfThrown(error)}. Nothing was sent or charged. If the user still wants it, call again.`,
          );
        })
        .finally(() => onWithdrawn.remove());
      if (action === "accept") return;
      const happened = action === "decline" ? "declined" : "did not confirm";
      throw new ToolRefusal(
        `The user ${happened} the price. ${orders}: nothing was sent or charged. Call again only if the user wants it after all.`,
      );
    },
  };
}

function questionAbout(purchases: readonly Purchase[]): string {
  const lines = purchases.map(
    ({ order, what, credits }) => `${JSON.stringify(printableLine(order))}: ${what}, ${priceText(credits)}`,
  );
  const total = purchases.reduce((sum, { credits }) => sum + credits, 0);
  const [only] = lines;
  return lines.length === 1
    ? `Allow order ${only}?`
    : [`Allow ${lines.length} orders for ${priceText(total)} in all?`, ...lines].join("\n");
}
