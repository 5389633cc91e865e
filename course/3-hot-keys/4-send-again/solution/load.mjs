/** Writes all items, however long it takes. */
export async function loadAll(db, items, pause) {
  for (let at = 0; at < items.length; at += 25) {
    const batch = items.slice(at, at + 25).map((Item) => ({ PutRequest: { Item } }));
    let left = { app: batch };
    for (let wait = 500; Object.keys(left).length > 0; wait = Math.min(wait * 2, 8_000)) {
      left = await send(db, left);
      // A program with many instances multiplies this by a random number.
      if (Object.keys(left).length > 0) await pause(wait);
    }
  }
}

/** What is left over of a batch. */
async function send(db, RequestItems) {
  try {
    const { UnprocessedItems } = await db.batchWriteItem({ RequestItems });
    return UnprocessedItems;
  } catch (error) {
    if (error.name !== 'ProvisionedThroughputExceededException') throw error;
    return RequestItems;
  }
}
