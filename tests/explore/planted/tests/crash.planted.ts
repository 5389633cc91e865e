import { it } from 'vitest';
import { testSeeds } from '../../../seeded-random.ts';

it.each(testSeeds('planted crash'))('ends its process, %i', () => {
  process.kill(process.pid, 'SIGKILL');
});
