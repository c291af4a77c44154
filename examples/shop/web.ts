/**
 * A shop that sells songs. This is its first process: the page, on which customers order songs and play them. The second one is
 * `worker.ts`. Both may be killed at any time: start them again, and they continue.
 *
 * It needs a PostgreSQL database, and `npm install async-music pg hono @hono/node-server`. Start the service and the shop:
 *
 *     npx async-music emulator --api-key emu_demo
 *     export ASYNC_MUSIC_BASE_URL=http://127.0.0.1:4010 ASYNC_MUSIC_API_KEY=emu_demo DATABASE_URL=postgres://…
 *     npx node examples/shop/setup.ts
 *     npx node examples/shop/worker.ts &
 *     npx node examples/shop/web.ts
 *
 * Then open http://localhost:3000/acme in a browser.
 */

import { setTimeout } from "node:timers/promises";
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { readObject } from "./folder.ts";
import { pageOf } from "./page.ts";
import { budget, type Order, pool, songsDirectory, TENANTS } from "./settings.ts";
import { submit, submitLeft } from "./submit.ts";

/** How long a request waits for its order to be submitted. After that, the order continues by itself. */
const PATIENCE_MS = 3000;

const app = new Hono();

app.get("/songs/:task{[\\w-]+}/:name{[\\w-]+}", (context) => {
  const { task, name } = context.req.param();
  return readObject(songsDirectory, `songs/${task}/${name}`);
});

app.get("/:tenant", async (context) => {
  const { tenant } = context.req.param();
  return TENANTS.includes(tenant) ? context.html(await load(tenant)) : context.notFound();
});

app.post("/:tenant", async (context) => {
  const { tenant } = context.req.param();
  if (!TENANTS.includes(tenant)) return context.notFound();
  const { id, description } = await context.req.parseBody();
  if (!String(description ?? "").trim()) return context.text("Describe the song.", 400);
  // The form has an ID: it is one order, however often it is sent.
  await pool.query(
    "INSERT INTO shop_orders (id, tenant, description) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
    [id, tenant, description],
  );
  const order = await find(String(id), tenant);
  if (order?.state === "new") await Promise.race([submit(order), setTimeout(PATIENCE_MS)]);
  const submitted = await find(String(id), tenant);
  if (submitted?.state !== "refused") return context.redirect(`/${tenant}`, 303);
  return context.html(await load(tenant, submitted.note ?? ""), 402);
});

async function find(id: string, tenant: string): Promise<Order | undefined> {
  const both = [id, tenant];
  return (await pool.query<Order>("SELECT * FROM shop_orders WHERE id = $1 AND tenant = $2", both)).rows[0];
}

async function load(tenant: string, problem?: string) {
  const orders = "SELECT * FROM shop_orders WHERE tenant = $1 ORDER BY ordered_at DESC LIMIT 50";
  const [usage, { rows }] = await Promise.all([budget.usage(tenant), pool.query<Order>(orders, [tenant])]);
  return pageOf(tenant, usage, rows, problem);
}

void submitLeft();
const port = Number(process.env["PORT"] ?? 3000);
serve({ fetch: app.fetch, port, hostname: "127.0.0.1" }, (address) =>
  console.log(`Listening on port ${address.port}`),
);
