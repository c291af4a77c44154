import { expectTypeOf, test } from "vitest";
import { accountMethods } from "../../emulator/control/account-methods.js";
import { bind, type MethodContext } from "../../emulator/control/method.js";
import { serviceMethods } from "../../emulator/control/service-methods.js";

declare const context: MethodContext;

test("an in-process call takes the parameters of its route, its body, and the account of a scoped method", () => {
  expectTypeOf(bind(context, accountMethods.deleteKey)).parameters.toEqualTypeOf<[string, string]>();
  expectTypeOf(bind(context, accountMethods.updateAccount)).parameter(1).toHaveProperty("suspended");
  expectTypeOf(bind(context, serviceMethods.clearFaults)).parameters.toEqualTypeOf<[(string | undefined)?]>();
  expectTypeOf(bind(context, serviceMethods.nextOutcome)).parameter(2).toEqualTypeOf<string | undefined>();
});

test("an in-process call with a wrong argument does not compile", () => {
  const topUp = bind(context, accountMethods.topUp);
  // @ts-expect-error The body is missing.
  expectTypeOf(topUp).toBeCallableWith("account");
  // @ts-expect-error `usd` is a number.
  expectTypeOf(topUp).toBeCallableWith("account", { usd: "10", method: "card" });
  const createKey = bind(context, accountMethods.createKey);
  // @ts-expect-error There is no body.
  expectTypeOf(createKey).toBeCallableWith("account", {});
  // @ts-expect-error The method is not scoped.
  expectTypeOf(bind(context, accountMethods.listInvoices)).toBeCallableWith("account", "account");
});
