import { messageOfThrown } from "../contract/thrown.js";
import { createRedactor } from "../errors/redactor.js";
import { JournalError } from "../errors/task-errors.js";

/**
 * Reads the entries of a journal for a list.
 *
 * @param where - such as "in Redis"
 * @throws JournalError they could not be read
 */
export async function listed<Entries>(where: string, read: () => Promise<Entries>): Promise<Entries> {
  try {
    return await read();
  } catch (thrown) {
    if (thrown instanceof JournalError) throw thrown;
    // The error of a database's client may contain the password.
    const cause = createRedactor("").cause(thrown);
    const what = `Failed to list the entries of the journal ${where}`;
    throw new JournalError({ what, why: messageOfThrown(cause) }, { journalKey: "", cause });
  }
}
