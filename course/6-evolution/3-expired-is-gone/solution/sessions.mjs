const minutes = 30;

/** Stores a session. */
export async function start(db, { sessionId, user }, nowMs) {
  const expiresAt = Math.floor(nowMs / 1000) + minutes * 60;
  await db.putItem({
    TableName: 'app',
    Item: {
      PK: { S: `SESSION#${sessionId}` },
      SK: { S: 'SESSION' },
      user: { S: user },
      expiresAt: { N: String(expiresAt) },
    },
  });
}

/** The user of a session that is still good. */
export async function find(db, sessionId, nowMs) {
  const { Item } = await db.getItem({
    TableName: 'app',
    Key: { PK: { S: `SESSION#${sessionId}` }, SK: { S: 'SESSION' } },
  });
  if (Item === undefined || Number(Item.expiresAt.N) <= nowMs / 1000) return undefined;
  return Item.user.S;
}
