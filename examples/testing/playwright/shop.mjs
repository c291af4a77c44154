import { createServer } from "node:http";
import { orderSong } from "../order-song.mjs";

const PAGE = `<!doctype html>
<title>Songs</title>
<form method="post"><button>Order a song</button></form>`;

/** A web application: its server uses the service. */
export function createShop(client) {
  return createServer(async (request, response) => {
    response.setHeader("Content-Type", "text/html");
    if (request.method !== "POST") return response.end(PAGE);
    try {
      response.end(`<a href="${await orderSong(client, "polka")}">Your song</a>`);
    } catch (error) {
      response.end(`<p role="alert">${error.name}</p>`);
    }
  });
}
