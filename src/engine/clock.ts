export { type Clock, nowMs, VirtualClock } from '../runtime/clock.ts';
