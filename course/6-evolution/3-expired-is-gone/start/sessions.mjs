const minutes = 30;

/** Stores a session. */
export async function start(db, { sessionId, user }, nowMs) {
  const expiresAt = nowMs + minutes * 60_000;
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
  return Item?.user.S;
}
