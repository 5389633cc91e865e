/** Lets so many clients at once take the inputs one after another, and adds up the hashes of what they did. */
export async function withClients<Input>(
  clients: number,
  inputs: readonly Input[],
  act: (input: Input, client: number) => Promise<number>,
): Promise<number> {
  let next = 0;
  let hash = 0;
  await Promise.all(
    Array.from({ length: clients }, async (_, client) => {
      while (next < inputs.length) {
        const done = await act(inputs[next++]!, client);
        hash = (hash + done) | 0;
      }
    }),
  );
  return hash;
}

/** Cuts a list into pieces of one length, of which it is a multiple. */
export function batchesOf<T>(list: readonly T[], length: number): T[][] {
  return Array.from({ length: list.length / length }, (_, i) => list.slice(i * length, (i + 1) * length));
}
