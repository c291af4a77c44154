import { LIMITS } from "./limits.js";

const { shortest, longest } = LIMITS.requestIdLength;
const SAFE_REQUEST_ID = new RegExp(`^[A-Za-z0-9._:-]{${shortest},${longest}}$`);

/** Whether the service would propagate this `X-Request-Id`: 1 to 128 of `A-Z a-z 0-9 . _ : -` (Authentication, 7). */
export function isSafeRequestId(value: string): boolean {
  return SAFE_REQUEST_ID.test(value);
}
