/**
 * What a disk may hold after a power cut, by the rules that ext4 and APFS share: what was not synced may be lost or kept, in any
 * combination. A sync of a file covers its content, and no name of it. A sync of a directory covers its names, and no content.
 */

/** A change of the disk. Files and directories have numbers; the directory 0 is the root. */
export type Operation =
  | { kind: "add"; directory: number; name: string; target: number }
  | { kind: "remove"; directory: number; name: string }
  /** Atomic, within one directory. */
  | { kind: "rename"; directory: number; from: string; to: string; target: number }
  /** `content` is all of the file's content afterwards. */
  | { kind: "write"; file: number; content: string }
  | { kind: "sync"; target: number; path: string };

/** The content of a file, or the names of a directory. */
export type Tree = string | { readonly [name: string]: Tree };

export const ROOT = 0;

/** Whether a sync has this position among the operations. */
export type IsSkipped = (index: number) => boolean;

/** The disks that a power cut after these operations may leave. `isSkipped` leaves out operations, as if a bug had. */
export function crashStates(
  operations: readonly Operation[],
  directories: ReadonlySet<number>,
  isSkipped: IsSkipped = () => false,
): Map<string, Tree> {
  const names = new Map<number, Names>([[ROOT, new Map()]]);
  const pending = new Map<number, NameChange[]>();
  const contents = new Map<number, string[]>();

  for (const [index, operation] of operations.entries()) {
    if (isSkipped(index)) continue;
    if (operation.kind === "write") {
      const { file, content } = operation;
      const versions = contents.get(file) ?? [""];
      contents.set(file, [...versions, ...torn(versions.at(-1) ?? "", content), content]);
    } else if (operation.kind === "sync" && directories.has(operation.target)) {
      const { target } = operation;
      names.set(target, changed(names.get(target), pending.get(target) ?? []));
      pending.delete(target);
    } else if (operation.kind === "sync") {
      contents.set(operation.target, (contents.get(operation.target) ?? [""]).slice(-1));
    } else {
      pending.set(operation.directory, [...(pending.get(operation.directory) ?? []), operation]);
    }
  }

  const states = new Map<string, Tree>();
  const lists = [...pending].map(([directory, changes]) =>
    subsetsOf(changes).map((kept) => [directory, changed(names.get(directory), kept)] as const),
  );
  for (const changedNames of combinationsOf(lists)) {
    const all = new Map([...names, ...changedNames]);
    const files = [...reachable(ROOT, all)].filter((id) => (contents.get(id)?.length ?? 0) > 1);
    const versions = files.map((file) =>
      (contents.get(file) ?? []).map((content) => [file, content] as const),
    );
    for (const chosen of combinationsOf(versions)) {
      const content = new Map(chosen);
      const read = (id: number): Tree => {
        if (!directories.has(id)) return content.get(id) ?? contents.get(id)?.[0] ?? "";
        const entries = [...(all.get(id) ?? [])].sort(([one], [other]) => (one < other ? -1 : 1));
        return Object.fromEntries(entries.map(([name, target]) => [name, read(target)]));
      };
      const tree = read(ROOT);
      states.set(JSON.stringify(tree), tree);
    }
  }
  return states;
}

type Names = ReadonlyMap<string, number>;
type NameChange = Extract<Operation, { kind: "add" | "remove" | "rename" }>;

function changed(names: Names | undefined, changes: readonly NameChange[]): Names {
  const result = new Map(names);
  for (const change of changes) {
    if (change.kind === "remove") result.delete(change.name);
    else if (change.kind === "add") result.set(change.name, change.target);
    else {
      result.delete(change.from);
      result.set(change.to, change.target);
    }
  }
  return result;
}

/** What a file may hold if only a part of a write, or only its length, has reached the disk. */
function torn(before: string, after: string): string[] {
  const half = Math.floor(after.length / 2);
  return [after.slice(0, half) + before.slice(half), "\0".repeat(after.length)];
}

/** More changes than this have too many subsets: then each prefix, each change alone, and all but one. */
const MOST_CHANGES = 7;

function subsetsOf<Item>(items: readonly Item[]): Item[][] {
  if (items.length <= MOST_CHANGES)
    return items.reduce<Item[][]>((lists, item) => lists.flatMap((list) => [list, [...list, item]]), [[]]);
  return [
    [],
    ...items.map((_, index) => items.slice(0, index + 1)),
    ...items.map((item) => [item]),
    ...items.map((item) => items.filter((other) => other !== item)),
  ];
}

/** Every way to take one item of each list. */
function combinationsOf<Item>(lists: readonly (readonly Item[])[]): Item[][] {
  return lists.reduce<Item[][]>(
    (combinations, list) => combinations.flatMap((taken) => list.map((item) => [...taken, item])),
    [[]],
  );
}

/** The files and directories that have a name below a directory. */
function reachable(id: number, names: ReadonlyMap<number, Names>): Set<number> {
  const below = [...(names.get(id)?.values() ?? [])].flatMap((each) => [...reachable(each, names)]);
  return new Set([id, ...below]);
}
