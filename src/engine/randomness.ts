export { type Randomness, randomBytes, randomUuid, seededRandomness } from '../runtime/randomness.ts';
