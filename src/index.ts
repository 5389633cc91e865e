export { type Clock, VirtualClock } from './engine/clock.ts';
export type { StoreChoice } from './open-store.ts';
export type { ListenOptions, StatorServer } from './server.ts';
export { Stator, type StatorOptions } from './stator.ts';
export { StoreError, type Trouble } from './storage/store-error.ts';
