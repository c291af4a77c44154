import type { RelayDelivery } from "async-music";
import { Webhook, WebhookVerificationError } from "standardwebhooks";

/** How the orders ended, by their names. In production this is a table of your database. */
export type Ends = Map<string, RelayDelivery["data"]>;

/** The function that the relay posts to. A status of 2xx acknowledges the end; after any other one it is posted again. */
export async function receiveEnd(ends: Ends, secret: string, request: Request): Promise<Response> {
  const text = await request.text();
  let delivery: RelayDelivery;
  try {
    delivery = new Webhook(secret).verify(text, Object.fromEntries(request.headers)) as RelayDelivery;
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    return new Response("wrong signature", { status: 401 });
  }
  // An end may be posted twice, with one `webhook-id`: to store it again changes nothing.
  ends.set(delivery.data.key, delivery.data);
  return new Response(null, { status: 204 });
}
