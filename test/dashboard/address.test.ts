import { afterEach, expect, test, vi } from "vitest";
import { followAddress, path, setParam } from "../../emulator/dashboard/address.js";

afterEach(() => vi.unstubAllGlobals());

test("a filter that changes while another view opens does not lead back to the view before", () => {
  const location = { hash: "#/requests?open=3" };
  const replaceState = (_state: null, _title: string, address: string) => {
    location.hash = address;
  };
  vi.stubGlobal("location", location);
  vi.stubGlobal("history", { replaceState });
  setParam("open", "");
  expect(location.hash).toBe("#/requests");
  // A link was followed, and `hashchange` is still to come.
  location.hash = "#/tasks";
  setParam("rate", "");
  expect([location.hash, path.value]).toEqual(["#/tasks", ["tasks"]]);
});

test.each([
  ["", []],
  ["#", []],
  ["#//", []],
  ["#/tasks?status=failed", ["tasks"]],
])("the address %j is a view", (hash, expected) => {
  vi.stubGlobal("location", { hash });
  vi.stubGlobal("addEventListener", () => {});
  followAddress();
  expect(path.value).toEqual(expected);
});
