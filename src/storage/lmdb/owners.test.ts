import { expect, it } from 'vitest';
import { decodeOwners, encodeOwners, type Owner } from './owners.ts';

const owner: Owner = { token: 'a', shared: true, pid: 7, started: '1', namespace: '2' };

it('reads the list of owners that it wrote', () => {
  expect(decodeOwners(encodeOwners([owner]))).toEqual([owner]);
});

it.each(['[', '{}', '[{"token":"a"}]'])('refuses the list %s as damage', (stored) => {
  expect(() => decodeOwners(Buffer.from(stored))).toThrow(
    expect.objectContaining({
      trouble: 'corrupt',
      message: expect.stringMatching(/^The list of the processes/),
    }),
  );
});
