/** Handles a batch of records, whatever is in it. */
export async function consume(records, { handle, bury, pause }) {
  /** Tries again while the world has a bad moment; throws if a record is bad. */
  async function patient(part) {
    for (let wait = 200; ; wait *= 2)
      try {
        return await handle(part);
      } catch (error) {
        if (!error.retryable) throw error;
        await pause(wait);
      }
  }

  async function handlePart(part) {
    try {
      await patient(part);
    } catch {
      if (part.length === 1) return bury(part[0]);
      const middle = Math.ceil(part.length / 2);
      await handlePart(part.slice(0, middle));
      await handlePart(part.slice(middle));
    }
  }

  await handlePart(records);
}
