import type { ValidationLayer } from '../../model/validation-layer.ts';

export type { ValidationLayer };

/**
 * How the service validates the requests of one operation. Every operation says it at its shape.
 *
 * Since June 2026 AWS moves Region by Region and operation by operation from the validation layer of 2012 to a newer
 * one with other wording. Each operation answers in the layer of most Regions (observed: conformance suite, 33 Regions,
 * 2 September to 8 October 2026).
 *
 * By the registry of answers that the suite keeps for each Region: PutItem, UpdateItem, DeleteItem: newer in all but
 * eu-south-2 and me-central-1. GetItem, Query: newer nearly everywhere. BatchGetItem: newer in all but me-central-1.
 * BatchWriteItem: newer in a handful (eu-central-1, ap-southeast-1, ap-east-2, …), so older. Scan: newer in 5, with 5
 * more wavering, so older. Transactions: newer in a few, so older. PartiQL and the control plane: older in all. Streams
 * are not in the registry; their layer is the older (guess).
 */
export interface Validation {
  readonly layer: ValidationLayer;
  readonly enums: EnumManner;
}

/**
 * How the newer layer reports wrong enum values. PutItem and DeleteItem list all of them; UpdateItem stops at the first
 * that the layer itself converts (`ReturnValues`, `ConditionalOperator`); Query does the same and leaves out the
 * envelope (observed: conformance suite, 20 September 2026, probes `o_put_three_bad_enums`, `o_del_two_bad_enums`,
 * `o_upd_two_bad_enums`).
 */
export type EnumManner = 'all' | 'first' | 'first-bare';

export function validationOf({ layer = 'older', enums = 'all' }: Partial<Validation> = {}): Validation {
  return { layer, enums };
}

/** The text of an error in the envelope of the newer layer. */
export function inEnvelope(text: string): string {
  return `1 validation error detected: ${text}`;
}
