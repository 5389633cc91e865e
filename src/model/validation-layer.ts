/**
 * The request-validation layer of an operation. Since June 2026 DynamoDB moves its operations, one by one and Region
 * by Region, from an older layer to a newer one that words several errors differently. An operation knows its layer
 * and passes it to the checks whose texts differ. Some operations of the newer layer put `1 validation error
 * detected: ` before such texts. The operation adds this prefix; the checks return the bare text.
 */
export type ValidationLayer = 'older' | 'newer';
