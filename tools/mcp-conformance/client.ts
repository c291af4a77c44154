export { Client } from "@modelcontextprotocol/client";
