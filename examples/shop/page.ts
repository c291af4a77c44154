import { randomUUID } from "node:crypto";
import type { BudgetUsage } from "async-music";
import { html } from "hono/html";
import { type Order, TENANTS } from "./settings.ts";

/** The page of a customer: its budget, its orders, and a form for the next one. */
export function pageOf(tenant: string, usage: BudgetUsage, orders: Order[], problem = "") {
  const isWaiting = orders.some(({ state }) => state === "new" || state === "making");
  return html`<!doctype html>
    <meta charset="utf-8">
    ${isWaiting && html`<meta http-equiv="refresh" content="2; url=/${tenant}">`}
    <title>Songs for ${tenant}</title>
    <nav>${TENANTS.map((name) => html`<a href="/${name}">${name}</a> `)}</nav>
    <h1>Songs for ${tenant}</h1>
    <p>Spent: ${usage.spent}, reserved: ${usage.reserved}, of ${usage.maxCredits} credits until ${usage.until?.toISOString()}</p>
    ${problem && html`<p role="alert">${problem}</p>`}
    <form method="post" action="/${tenant}">
      <input type="hidden" name="id" value="${randomUUID()}">
      <input name="description" placeholder="rain in Lisbon" required>
      <button>Order</button>
    </form>
    <ul>${orders.map(itemOf)}</ul>`;
}

function itemOf({ description, state, progress, note, audio }: Order) {
  const text = state === "making" ? `${Math.round(100 * progress)} %` : (note ?? "");
  return html`<li>${description}: ${state} ${text} ${audio.map((key) => html`<audio controls src="/${key}"></audio>`)}</li>`;
}
