/**
 * Since June 2026 DynamoDB moves its operations, one by one and Region by Region, from an older request-validation
 * layer to a newer one that words several errors differently. An operation knows which layer it stands on and hands
 * it to the checks whose texts differ. The prefix `1 validation error detected: ` that some operations of the newer
 * layer put before such texts is theirs to add: the checks here return the bare text.
 */
export type ValidationLayer = 'older' | 'newer';
