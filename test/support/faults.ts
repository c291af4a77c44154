/** A fault that replaces the response by this status. */
export function failWith(status: number, when: "before" | "after" = "before") {
  return { kind: "status", status, when } as const;
}
