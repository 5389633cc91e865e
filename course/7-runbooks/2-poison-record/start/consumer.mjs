/** Handles a batch of records, whatever is in it. */
export async function consume(records, { handle, pause }) {
  for (;;) {
    try {
      await handle(records);
      return;
    } catch {
      await pause(1000);
    }
  }
}
