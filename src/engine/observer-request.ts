import type { Caller } from './events.ts';

/** The header by which the studio and the doctor mark requests that only look. */
export const observerHeader = 'x-stator-observer';

const isRead = /^(?:Get|BatchGet|TransactGet|Describe|List|Query$|Scan$)/;

/**
 * Tells whether a request only observes the database. Such a request is answered like any other, but it is not traffic: it
 * consumes no capacity, meets no throttle and no injected fault, and appears in no metric. Only reads can be marked: a write
 * changes what everybody sees.
 */
export function isObserverRequest(operation: string, caller: Caller): boolean {
  return caller.header(observerHeader) !== undefined && isRead.test(operation);
}
